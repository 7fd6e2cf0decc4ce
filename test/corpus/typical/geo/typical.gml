<?xml version="1.0" encoding="utf-8" ?>
<ogr:FeatureCollection
     gml:id="aFeatureCollection"
     xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
     xsi:schemaLocation="http://ogr.maptools.org/ out.xsd"
     xmlns:ogr="http://ogr.maptools.org/"
     xmlns:gml="http://www.opengis.net/gml/3.2">
  <gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>47 8</gml:lowerCorner><gml:upperCorner>48.0 9.5</gml:upperCorner></gml:Envelope></gml:boundedBy>
                                                                                                                                                                        
  <ogr:featureMember>
    <ogr:data gml:id="data.0">
      <gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>47.25 8.5</gml:lowerCorner><gml:upperCorner>47.25 8.5</gml:upperCorner></gml:Envelope></gml:boundedBy>
      <ogr:geom><gml:Point srsName="urn:ogc:def:crs:EPSG::4326" gml:id="data.geom.0"><gml:pos>47.25 8.5</gml:pos></gml:Point></ogr:geom>
      <ogr:name>Quokka Ünïcødé</ogr:name>
      <ogr:n>1</ogr:n>
    </ogr:data>
  </ogr:featureMember>
  <ogr:featureMember>
    <ogr:data gml:id="data.1">
      <gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>47 8</gml:lowerCorner><gml:upperCorner>48.0 9.5</gml:upperCorner></gml:Envelope></gml:boundedBy>
      <ogr:geom><gml:LineString srsName="urn:ogc:def:crs:EPSG::4326" gml:id="data.geom.1"><gml:posList>47 8 47.5 9.0 48.0 9.5</gml:posList></gml:LineString></ogr:geom>
      <ogr:name>Zebra</ogr:name>
      <ogr:n>1</ogr:n>
    </ogr:data>
  </ogr:featureMember>
  <ogr:featureMember>
    <ogr:data gml:id="data.2">
      <gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>47 8</gml:lowerCorner><gml:upperCorner>47.75 9.0</gml:upperCorner></gml:Envelope></gml:boundedBy>
      <ogr:geom><gml:Polygon srsName="urn:ogc:def:crs:EPSG::4326" gml:id="data.geom.2"><gml:exterior><gml:LinearRing><gml:posList>47 8 47 9 47.75 9.0 47.75 8.0 47 8</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></ogr:geom>
      <ogr:name>Field</ogr:name>
      <ogr:n>1</ogr:n>
    </ogr:data>
  </ogr:featureMember>
</ogr:FeatureCollection>
