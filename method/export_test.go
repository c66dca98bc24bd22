package method

// AllPresets lets the tests see every preset.
var AllPresets = presets
