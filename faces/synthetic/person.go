package synthetic

// A person has the parameters that are the same in all images of a person. The unit of
// lengths is about half a face: a face is about 1.4 wide, and the chin is at y ≈ 0.9. x
// points to the right of the image, y down and z to the viewer. The origin is between
// cheekbones and ears.
type person struct {
	// The skull.
	width, depth         float64 // half width at the cheekbones, half depth
	chin                 float64 // y of the chin
	jawPower, jawTaper   float64 // square or round, tapering to the chin or not
	crown, crownPower    float64 // height, roundness
	crownEnd             float64 // where the surface ends, as an angle for outline
	cheek, hollow        float64 // cheekbones, hollow cheeks
	chinBoss, chinDimple float64
	temple, muzzle       float64
	browRidge            float64

	// The eyes.
	eyeX, eyeY, eyeW, eyeH float64 // centre, half width, half height of the opening
	eyeTilt, eyeDrop       float64 // outer corner up or down, left eye lower than right
	socket, bulge          float64 // depth of the sockets, of the eyeballs
	iris, irisTone         float64 // radius, grey
	lash, crease, bags     float64

	// The brows.
	browY, browLength, browThick, browArch, browTilt, browDensity float64

	// The nose.
	noseTop, noseBase, noseLength, noseWidth, ridgeWidth, hump, wing, noseBend float64

	// The mouth.
	mouthY, mouthW, upperLip, lowerLip, lipTone, mouthTilt, fold float64

	// Skin, hair and what is worn.
	skin, gloss                    float64 // albedo, sheen
	grain                          [headGrainRows * headGrainCols]float64
	grainDepth, blush              float64
	moles                          []headMole
	hairTone                       float64
	hairline, hairWave, hairPart   float64 // y of the hairline, its curve, where the hair is parted
	hairTemple, sideburn, hairBulk float64
	hairLong                       float64 // how far down the hair falls beside the face, y
	streaks                        float64 // phase of the strands
	beard, moustache, beardLine    float64 // densities, y at the cheek
	glasses, glassesR, glassesTint float64 // thickness of the rims, 0 for none
	ears                           float64
	wrinkles                       float64
}

// A headMole is a spot on the skin: a mole, a freckle, a scar.
type headMole struct{ x, y, radius, depth float64 }

// The coarse grid on which the grain of the skin is drawn.
const (
	headGrainRows = 14
	headGrainCols = 12
)

// newPerson draws a person. All distributions are continuous, so that all people differ.
func newPerson(r random) *person {
	p := &person{}
	p.drawSkull(r)
	p.drawEyes(r)
	p.drawNoseAndMouth(r)
	p.drawSkin(r)
	p.drawHair(r)
	return p
}

func (p *person) drawSkull(r random) {
	p.width = r.around(0.70, 0.05)
	p.depth = r.around(0.74, 0.05)
	p.chin = r.around(0.92, 0.05)
	p.jawPower = r.between(1.9, 3.4)
	p.jawTaper = r.between(0.04, 0.34)
	p.crown, p.crownEnd, p.crownPower = 1.28, -0.82, r.between(2.1, 2.8)
	p.cheek = r.around(0.05, 0.025)
	p.hollow = r.between(0, 0.06)
	p.chinBoss = r.around(0.07, 0.03)
	if dimple := r.between(0.005, 0.02); r.chance(0.2) {
		p.chinDimple = dimple
	}
	p.temple = r.between(0, 0.05)
	p.muzzle = r.around(0.07, 0.025)
	p.browRidge = r.around(0.04, 0.025)
}

func (p *person) drawEyes(r random) {
	p.eyeX = r.around(0.305, 0.022)
	p.eyeY = r.around(-0.14, 0.03)
	p.eyeW = r.around(0.145, 0.016)
	p.eyeH = r.around(0.062, 0.013)
	p.eyeTilt = r.around(-0.03, 0.10)
	p.eyeDrop = r.around(0, 0.012)
	p.socket = r.around(0.085, 0.03)
	p.bulge = r.around(0.06, 0.015)
	p.iris = r.around(0.066, 0.006)
	p.irisTone = r.between(0.05, 0.35)
	p.lash = r.between(0.35, 1)
	p.crease = r.between(0, 0.6)
	p.bags = r.between(0, 0.35)

	p.browY = r.around(-0.34, 0.035)
	p.browLength = r.around(0.21, 0.025)
	p.browThick = r.around(0.034, 0.012)
	p.browArch = r.around(0.05, 0.035)
	p.browTilt = r.around(0, 0.12)
	p.browDensity = r.between(0.35, 1)
}

func (p *person) drawNoseAndMouth(r random) {
	p.noseTop = r.around(-0.14, 0.02)
	p.noseBase = r.around(0.27, 0.04)
	p.noseLength = r.around(0.25, 0.045)
	p.noseWidth = r.around(0.115, 0.022)
	p.ridgeWidth = r.around(0.10, 0.015)
	p.hump = r.around(0, 0.03)
	p.wing = r.around(0.075, 0.02)
	p.noseBend = r.around(0, 0.015)

	p.mouthY = p.noseBase + r.around(0.28, 0.028)
	p.mouthW = r.around(0.25, 0.032)
	p.upperLip = r.around(0.045, 0.016)
	p.lowerLip = r.around(0.06, 0.018)
	p.lipTone = r.between(0.55, 0.95)
	p.mouthTilt = r.around(0, 0.025)
	p.fold = r.between(0.002, 0.022)
}

func (p *person) drawSkin(r random) {
	p.skin = r.between(0.34, 0.72)
	p.gloss = r.between(0, 0.10)
	for i := range p.grain {
		p.grain[i] = r.around(0, 1)
	}
	p.grainDepth = r.between(0.04, 0.10)
	p.blush = r.around(0, 0.05)
	for range int(8 * r.Float64() * r.Float64()) {
		p.moles = append(p.moles, headMole{
			r.between(-0.55, 0.55), r.between(-0.5, 0.8), r.between(0.02, 0.05), r.between(0.25, 0.6),
		})
	}
	p.wrinkles = max(0, r.between(-0.1, 0.12))
}

func (p *person) drawHair(r random) {
	p.hairTone = r.between(0.04, 0.22)
	if fair := r.between(0.25, 0.7); r.chance(0.3) {
		p.hairTone = min(fair, 0.9*p.skin+0.04)
	}
	p.hairline = r.between(-0.86, -0.56)
	if bald := r.between(-1.6, -1.1); r.chance(0.1) {
		p.hairline = bald
	}
	p.hairWave = r.between(-0.25, 0.5)
	p.hairPart = r.between(-0.5, 0.5)
	p.hairTemple = r.between(0.84, 1.02)
	p.sideburn = r.between(-0.3, 0.25)
	p.hairBulk = r.between(0.02, 0.14)
	p.hairLong = r.between(-0.1, 0.3)
	if long := r.between(0.6, 1.4); r.chance(0.4) {
		p.hairLong = long
	}
	p.streaks = r.between(0, 6)
	beard, moustache := r.between(0.15, 0.85), r.between(0.15, 0.9)
	if r.chance(0.25) {
		p.beard, p.moustache = beard, beard
	}
	if r.chance(0.12) {
		p.moustache = moustache
	}
	p.beardLine = r.between(0.25, 0.6)
	rim, radius, tint := r.between(0.012, 0.028), r.between(0.19, 0.24), r.between(0, 0.25)
	if r.chance(0.2) {
		p.glasses, p.glassesR, p.glassesTint = rim, radius, tint
	}
	p.ears = r.around(0.07, 0.025)
}
