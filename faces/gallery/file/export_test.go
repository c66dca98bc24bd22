package file

// Repack is repack, for the tests of what is done with models that were read.
var Repack = repack

// ShortStep is shortStep.
var ShortStep = shortStep
