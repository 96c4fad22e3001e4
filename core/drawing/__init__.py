"""Drawings of positions: one description of a picture, written as SVG or as pixels."""
