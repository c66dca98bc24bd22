package heic

// Memory returns the largest number of bytes that decoding data takes, 0 if it is refused.
func Memory(data []byte) int64 {
	f, err := read(data)
	if err != nil {
		return 0
	}
	return int64(f.decoderMemory() + 8*f.width*f.height)
}

func (f *container) decoderMemory() int { return 1 << 30 }
