"""Maps as lists of features: a shape as [family, parts] and named values. Each format is read and written by its specification.

Each part is a point, a line or a ring; the start point and direction of a ring are irrelevant."""
import csv
import io
import json
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import xml.etree.ElementTree as elements
import zipfile

import shapefile
from said import number, said
from shapes import feature_said, parts_of, shape_said
from trees import json_of, read_json

KINDS = {"geojson", "geojsonl", "kml", "kmz", "gpx", "shp", "gpkg", "map.csv"}


def write_geojson(value, path, is_lines):
    features = []
    for feature in value:
        of = dict(feature["m"])
        geometry = of["shape"]["t"] if of["shape"] else "null"
        values = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {json_text(each)}" for name, each in of["values"]["m"])
        features.append(f'{{"type": "Feature", "properties": {{{values}}}, "geometry": {geometry}}}')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(features) + "\n" if is_lines else f'{{"type": "FeatureCollection", "features": [{", ".join(features)}]}}')


def json_text(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if "m" in value:
        return "{" + ", ".join(f"{json.dumps(name)}: {json_text(each)}" for name, each in value["m"]) + "}"
    if "n" in value:
        from said import exact

        return json_of(exact(value["n"]))
    return json.dumps(value["t"], ensure_ascii=False)


def read_geojson(path, is_lines):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    features = [json.loads(line) for line in text.splitlines() if line.strip()] if is_lines else json.loads(text)["features"]
    exact = [read_json(line) for line in text.splitlines() if line.strip()] if is_lines else dict(read_json(text)["m"])["features"]
    found = []
    for feature, own in zip(features, exact):
        values = dict(own["m"]).get("properties")
        found.append(feature_said(parts_of(feature["geometry"]), values["m"] if values else []))
    return found


def local(element):
    return element.tag.rpartition("}")[2]


def child(element, *names):
    for name in names:
        element = next((each for each in element if local(each) == name), None)
        if element is None:
            return None
    return element


def kml_places(element):
    return [[float(each) for each in place.split(",")] for place in child(element, "coordinates").text.split()]


def kml_shape(element):
    kind = local(element)
    if kind == "Point":
        return "points", [kml_places(element)]
    if kind == "LineString":
        return "lines", [kml_places(element)]
    if kind == "Polygon":
        return "areas", [kml_places(child(each, "LinearRing")) for each in element if local(each) in ("outerBoundaryIs", "innerBoundaryIs")]
    each = [kml_shape(part) for part in element if local(part) in ("Point", "LineString", "Polygon", "MultiGeometry")]
    return each[0][0], [part for _, parts in each for part in parts]


def read_kml(raw):
    root = elements.fromstring(raw)
    kinds = {each.get("name"): each.get("type") for each in root.iter() if local(each) == "SimpleField"}
    found = []
    for mark in (each for each in root.iter() if local(each) == "Placemark"):
        values = []
        for each in mark.iter():
            if local(each) == "SimpleData":
                values.append([each.get("name"), kml_value(each.text or "", kinds.get(each.get("name")))])
            elif local(each) == "Data":
                values.append([each.get("name"), {"t": child(each, "value").text or ""}])
        for name in ("name", "description"):
            own = child(mark, name)
            if own is not None:
                values.append([name, {"t": own.text or ""}])
        moment = child(mark, "TimeStamp", "when")
        if moment is not None:
            values.append(["when", {"t": moment.text}])
        shape = next((each for each in mark if local(each) in ("Point", "LineString", "Polygon", "MultiGeometry")), None)
        found.append(feature_said(None if shape is None else shape_said(*kml_shape(shape)), values))
    return found


def kml_value(text, kind):
    if kind in ("int", "uint", "short", "ushort", "float", "double") and text:
        return number(text)
    return {"t": text}


def read_gpx(path):
    found = []
    for each in elements.parse(path).getroot():
        kind = local(each)
        if kind not in ("wpt", "rte", "trk"):
            continue
        values = [[local(one), {"t": one.text or ""}] for one in each if local(one) not in ("ele", "extensions", "rtept", "trkseg")]
        more = child(each, "extensions")
        values += [[local(one), {"t": one.text or ""}] for one in (more if more is not None else [])]
        parts = [[each]] if kind == "wpt" else [[one for one in each if local(one) == "rtept"]] if kind == "rte" else [
            [one for one in part if local(one) == "trkpt"] for part in each if local(part) == "trkseg"
        ]
        if kind == "trk":
            times = [child(one, "time").text for part in parts for one in part if child(one, "time") is not None]
            values += [["times", {"t": " ".join(times)}]] if times else []
        found.append(feature_said(shape_said("points" if kind == "wpt" else "lines", [list(map(gpx_place, part)) for part in parts]), values))
    return found


def gpx_place(element):
    height = child(element, "ele")
    return [float(element.get("lon")), float(element.get("lat")), *([] if height is None else [float(height.text)])]


def read_shp(path):
    found = []
    with zipfile.ZipFile(path) as packed:
        for name in (each[:-4] for each in packed.namelist() if each.endswith(".shp")):
            files = {end: io.BytesIO(packed.read(f"{name}.{end}")) for end in ("shp", "dbf", "shx")}
            with shapefile.Reader(**files, encoding="utf-8") as table:
                for each in table.iterShapeRecords():
                    values = [[key, said(value)] for key, value in each.record.as_dict().items()]
                    found.append(feature_said(shp_shape(each.shape), values))
    return found


def shp_shape(shape):
    kind = shape.shapeTypeName
    if kind == "NULL":
        return None
    has_heights = kind.endswith("Z")
    heights = [shape.z[0]] if kind == "POINTZ" else list(shape.z) if has_heights else []
    places = [[*place[:2], *([heights[at]] if has_heights else [])] for at, place in enumerate(shape.points)]
    if kind.startswith(("POINT", "MULTIPOINT")):
        return shape_said("points", [[each] for each in places])
    starts = [*shape.parts, len(places)]
    parts = [places[start:end] for start, end in zip(starts, starts[1:])]
    return shape_said("lines" if kind.startswith("POLYLINE") else "areas", parts)


class Binary:
    """Well-known binary, in either byte order, with heights and measures."""

    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, form):
        size = struct.calcsize(form)
        values = struct.unpack_from(form, self.raw, self.at)
        self.at += size
        return values

    def geometry(self):
        order = "<" if self.take("B")[0] else ">"
        kind = self.take(order + "I")[0]
        width = 2 + (kind // 1000 in (1, 3)) + (kind // 1000 in (2, 3))
        places = lambda count: [list(self.take(f"{order}{width}d")) for _ in range(count)]
        count = lambda: self.take(order + "I")[0]
        base = kind % 1000
        if base == 1:
            return "points", [places(1)]
        if base == 2:
            return "lines", [places(count())]
        if base == 3:
            return "areas", [places(count()) for _ in range(count())]
        each = [self.geometry() for _ in range(count())]
        return each[0][0], [part for _, parts in each for part in parts]


def is_json(value):
    try:
        return value is None or json.loads(str(value)) is not ...
    except ValueError:
        return False


def read_gpkg(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = []
    for (table,) in base.execute("SELECT table_name FROM gpkg_contents WHERE data_type IN ('features', 'attributes')").fetchall():
        columns = base.execute(f'PRAGMA table_info("{table}")').fetchall()
        shapes = [row[0] for row in base.execute("SELECT column_name FROM gpkg_geometry_columns WHERE table_name = ?", (table,))]
        kinds = {row[1]: row[2] for row in columns if not row[5] and row[1] not in shapes}
        names = [row[1] for row in columns]
        declared = base.execute("SELECT 1 FROM sqlite_master WHERE name = 'gpkg_data_columns'").fetchone()
        query = "SELECT column_name FROM gpkg_data_columns WHERE table_name = ? AND mime_type = 'application/json'"
        lists = {row[0] for row in base.execute(query, (table,))} if declared else set()
        lists = {name for name in lists if all(is_json(value) for (value,) in base.execute(f'SELECT "{name}" FROM "{table}"'))}
        for row in base.execute(f'SELECT * FROM "{table}"'):
            of = dict(zip(names, row))
            raw = of[shapes[0]] if shapes else None
            values = [[name, bool(of[name]) if kind == "BOOLEAN" and of[name] is not None else read_json(str(of[name])) if name in lists and str(of[name])[:1] in "[{" else said(of[name])] for name, kind in kinds.items()]
            found.append(feature_said(None if raw is None else shape_said(*Binary(raw[8 + (0, 32, 48, 48, 64)[raw[3] >> 1 & 7] :]).geometry()), values))
    base.close()
    return found


def text_shape(text):
    """Well-known text."""
    if not text:
        return None
    kind = re.match(r"[A-Z]+", text)[0].removeprefix("MULTI")
    family = {"POINT": "points", "LINESTRING": "lines", "POLYGON": "areas"}[kind]
    groups = re.findall(r"\(([^()]*)\)", text)
    parts = [[[float(each) for each in place.split()] for place in group.split(",")] for group in groups]
    return shape_said(family, [[place] for part in parts for place in part] if family == "points" else parts)


def read_csv(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file, strict=True))
    head, *rows = lines
    at = head.index("WKT")
    return [
        feature_said(text_shape(row[at]), [[name, {"t": cell}] for place, (name, cell) in enumerate(zip(head, row)) if place != at]) for row in rows if row
    ]


WRITERS = {"kml": "LIBKML", "gpx": "GPX", "shp": "ESRI Shapefile", "gpkg": "GPKG"}


def write(kind, value, path):
    """GDAL writes formats other than JSON; the readers here check their content."""
    if kind not in WRITERS:
        return write_geojson(value, path, kind == "geojsonl")
    with tempfile.TemporaryDirectory() as folder:
        source, made = f"{folder}/map.geojson", f"{folder}/map.{'shp.zip' if kind == 'shp' else kind}"
        write_geojson(value, source, False)
        more = ["-dsco", "GPX_USE_EXTENSIONS=YES", "-lco", "FORCE_GPX_TRACK=YES"] if kind == "gpx" else ["-lco", "ENCODING=UTF-8"] if kind == "shp" else []
        order = ["ogr2ogr", "-f", WRITERS[kind], made, source, *more]
        subprocess.run(order, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.move(made, path)


def read(kind, path):
    if kind in ("geojson", "geojsonl"):
        return read_geojson(path, kind == "geojsonl")
    if kind == "kml":
        with open(path, "rb") as file:
            return read_kml(file.read())
    if kind == "kmz":
        with zipfile.ZipFile(path) as packed:
            return read_kml(packed.read("doc.kml"))
    return {"gpx": read_gpx, "shp": read_shp, "gpkg": read_gpkg, "map.csv": read_csv}[kind](path)
