"""10-point Pitch and its variants, four-handed in partnerships and five-handed with a called partner."""
