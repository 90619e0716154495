"""The nets: text detection, recognition, orientation, layout."""
