"""Writes a GraphML file as DOT. Usage: graphml.py FILE OUT; prints a line of JSON about what DOT has no place for.

Data become attributes of the same name. A graph inside a node becomes a cluster. @see http://graphml.graphdrawing.org/specification.html
"""
import json
import sys
import xml.etree.ElementTree as ElementTree

LABELS = {"NodeLabel", "EdgeLabel"}


def local(element):
    return element.tag.rpartition("}")[2]


def children(element, name):
    return [child for child in element if local(child) == name]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "\\n") + '"'


def listed(attributes):
    pairs = ", ".join(f"{quoted(name)}={quoted(value)}" for name, value in attributes.items())
    return f" [{pairs}]" if pairs else ""


class Writer:
    def __init__(self, root):
        self.keys = {key.get("id"): key for key in children(root, "key")}
        self.lines, self.hyperedges, self.is_drawn = [], 0, False
        self.defaults = {kind: self.defaults_of(kind) for kind in ("graph", "node", "edge")}

    def defaults_of(self, kind):
        """By name, of the keys that concern this kind of element."""
        given = {name: children(key, "default") for name, key in self.keys.items() if key.get("for", "all") in (kind, "all")}
        return {self.name_of(name): default[0].text or "" for name, default in given.items() if default}

    def data_of(self, element):
        """Its own data, and the defaults of those it lacks."""
        found = dict(self.defaults[local(element)])
        for data in children(element, "data"):
            if len(data) == 0:
                found[self.name_of(data.get("key"))] = data.text or ""
                continue
            # yEd draws its graphs in elements of its own. Their text is what everyone sees.
            self.is_drawn = True
            text = "\n".join((each.text or "").strip() for each in data.iter() if local(each) in LABELS).strip()
            if text:
                found.setdefault("label", text)
        return found

    def name_of(self, key):
        declared = self.keys.get(key)
        return (declared.get("attr.name") if declared is not None else None) or key or "data"

    def graph(self, graph, opening, is_directed):
        self.lines.append(f"{opening} {{")
        self.lines += [f"{quoted(name)}={quoted(value)};" for name, value in self.data_of(graph).items()]
        for child in graph:
            kind = local(child)
            if kind == "node":
                self.node(child, is_directed)
            elif kind == "edge":
                self.edge(child, graph, is_directed)
            elif kind == "hyperedge":
                self.hyperedges += 1
        self.lines.append("}")

    def node(self, node, is_directed):
        name = node.get("id", "")
        self.lines.append(f"{quoted(name)}{listed(self.data_of(node))};")
        for inner in children(node, "graph"):
            self.graph(inner, f"subgraph {quoted('cluster_' + name)}", is_directed)
            self.lines.insert(-1, f"{quoted(name)};")

    def edge(self, edge, graph, is_directed):
        own = edge.get("directed", "true" if graph.get("edgedefault") == "directed" else "false") in ("true", "1")
        more = {"id": edge.get("id"), "tailport": edge.get("sourceport"), "headport": edge.get("targetport")}
        more["dir"] = None if own == is_directed else "forward" if own else "none"
        attributes = {name: value for name, value in more.items() if value is not None} | self.data_of(edge)
        arrow = "->" if is_directed else "--"
        self.lines.append(f"{quoted(edge.get('source', ''))} {arrow} {quoted(edge.get('target', ''))}{listed(attributes)};")


def main(path, made):
    root = ElementTree.parse(path).getroot()
    graphs = children(root, "graph")
    if not graphs:
        sys.exit("no element found")
    writer = Writer(root)
    for graph in graphs:
        is_directed = graph.get("edgedefault") == "directed"
        name = f" {quoted(graph.get('id'))}" if graph.get("id") else ""
        writer.graph(graph, ("digraph" if is_directed else "graph") + name, is_directed)
    with open(made, "w", encoding="utf-8") as file:
        file.write("\n".join(writer.lines) + "\n")
    print(json.dumps({"isDrawn": writer.is_drawn, "hyperedges": writer.hyperedges}))


main(*sys.argv[1:])
