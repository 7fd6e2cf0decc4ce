"""Shapes of features as the readers of maps agree to write them."""
import json

FAMILIES = {"Point": "points", "LineString": "lines", "Polygon": "areas"}


def ring(places):
    """Starts at the smallest corner, towards the smaller of its neighbours."""
    bare = places[:-1]
    least = bare.index(min(bare))
    turned = bare[least:] + bare[:least]
    other = [turned[0], *reversed(turned[1:])]
    return min(turned, other)


def shape_said(family, parts):
    if not parts:
        return None
    made = sorted(map(ring, parts)) if family == "areas" else parts
    return {"t": json.dumps([family, [[[float(each) for each in place] for place in part] for part in made]])}


def feature_said(shape, values):
    return {"m": [["shape", shape], ["values", {"m": values}]]}


def parts_of(geometry):
    """From GeoJSON."""
    if geometry is None:
        return None
    kind, places = geometry["type"], geometry["coordinates"]
    family = FAMILIES[kind.removeprefix("Multi")]
    if family == "points":
        return shape_said(family, [[each] for each in (places if kind == "MultiPoint" else [places])])
    if family == "lines":
        return shape_said(family, places if kind == "MultiLineString" else [places])
    return shape_said(family, [each for area in places for each in area] if kind == "MultiPolygon" else places)
