package frontend

import (
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/openset"
)

// Law returns the impostor distribution of the network of in, with the alignment and the
// mirror images of in; nil if there is no network, or if it was not measured.
func (in Pipeline) Law() *openset.Impostors {
	e := in.Embedding
	return openset.ImpostorsOf(e.Digest, e.Mirror, e.Alignment != dataset.ByPupils)
}
