package dataset

// Quality says how well a face is seen in its photograph. Package face measures
// it and says what is too little.
type Quality struct {
	Eyes      float64 `json:"eyes"`      // distance between the pupils, pixels of the photograph
	Sharpness float64 `json:"sharpness"` // see package face; the larger the sharper
	Exposure  float64 `json:"exposure"`  // share of the face that is neither black nor white
	Angle     float64 `json:"angle"`     // by which the line of the eyes is turned in the photograph, degrees, −180 … 180
	Detection float64 `json:"detection"` // score of the detector; the larger the surer that it is a face
}
