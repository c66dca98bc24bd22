package dataset

// Quality is the image quality of a face in its photograph. Package face measures it, and
// the limits of the search for faces are the values below which a face is refused.
type Quality struct {
	Eyes      float64 `json:"eyes"`      // distance between the pupils, pixels of the photograph
	Sharpness float64 `json:"sharpness"` // see package face; higher is sharper
	Exposure  float64 `json:"exposure"`  // share of the face that is neither black nor white
	Angle     float64 `json:"angle"`     // of the line between the eyes in the photograph, degrees, −180 … 180
	Detection float64 `json:"detection"` // score of the detector; higher is more confident
}
