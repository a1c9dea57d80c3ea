"""Taut paths over chains of surfaces: geodesics, tangent points, which surfaces are touched."""
