package network

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/parallel"
)

// A plan is a graph made ready to run: images lie in the order height, width,
// channels with a border of zeros for the convolutions that read them; scales,
// shifts, residual sums and activations are part of the convolutions before
// them; and values share memory that are never needed at the same time.
type plan struct {
	steps           []step
	slots           []slot
	inputs, outputs []int   // slots
	views           [][]int // by input, the slots that hold its elements
	arena           int     // floats of one item
	item            int     // bytes of one item
	scratch         int     // floats of a thread
	states          sync.Pool
	room            chan struct{} // for as many groups at once as its capacity; nil for any number
}

// A slot is a value in one layout, at a place in the arena of an item.
type slot struct {
	value  *value
	shape  []int
	image  blas.Image // without Data; Data is not an image's if C is 0
	buffer int        // −1 where the elements are not in the arena
	offset int
	root   int // then the slot that has the elements
}

// A buffer is a part of the arena, in use from one step to another.
type buffer struct{ size, first, last, offset int }

// A step computes some slots from others for the items lo to hi.
type step struct {
	run func(s *state, lo, hi int)
	// together says that the weights are larger than the images: the step is
	// done for all items of a group before the next.
	joint           bool
	units           int   // of work for one item
	call            *call // nil, or a call that runs as it stands, on
	inputs, outputs []int // these slots; an absent input is −1
}

// togetherFrom is the number of weights from which a step is done for all items
// of a group at once: beyond it they do not stay in a core's own cache.
const togetherFrom = 32 << 10

// A planner makes a plan.
type planner struct {
	*plan
	graph   *graph
	users   map[*value][]*call
	maker   map[*value]*call
	isOut   map[*value]bool
	done    map[*call]bool
	flats   map[*value]int // slots that hold a value as the graph has it
	images  map[*value]int // slots that hold it as an image
	alias   map[*value]*value
	buffers []buffer
	convs   []func() *blas.Conv // each packs its weights
	units   int                 // of work of the steps so far, for one item
	*budget
}

// newPlan plans a graph.
func newPlan(g *graph, b *budget) *plan {
	p := &planner{
		plan: &plan{}, graph: g, budget: b,
		users: map[*value][]*call{}, maker: map[*value]*call{}, isOut: map[*value]bool{}, done: map[*call]bool{},
		flats: map[*value]int{}, images: map[*value]int{}, alias: map[*value]*value{},
	}
	for _, c := range g.calls {
		for _, v := range c.inputs {
			p.users[v] = append(p.users[v], c)
		}
		for _, v := range c.outputs {
			p.maker[v] = c
		}
	}
	for _, v := range g.outputs {
		p.isOut[v] = true
	}
	for _, v := range g.inputs {
		p.flats[v] = p.ownSlot(slot{value: v, shape: v.shape, buffer: -1})
		p.plan.inputs = append(p.plan.inputs, p.flats[v])
	}
	for _, c := range g.calls {
		if !p.done[c] {
			c.naming(func() { p.add(c) })
		}
	}
	for _, v := range g.outputs {
		at := p.flat(v)
		p.plan.outputs = append(p.plan.outputs, at)
		p.uses(len(p.steps), at)
	}
	p.ends()
	p.place()
	p.measure()
	p.packWeights()
	p.views = make([][]int, len(p.plan.inputs))
	for at, s := range p.slots {
		for k, input := range p.plan.inputs {
			if s.buffer < 0 && s.root == input {
				p.views[k] = append(p.views[k], at)
			}
		}
	}
	return p.plan
}

// ends counts the work of reading the inputs and of writing the outputs.
func (p *planner) ends() {
	for _, v := range p.graph.inputs {
		if !v.dtype.float() { // others are used where they are
			p.units += 6 * v.len()
		}
	}
	for _, v := range p.graph.outputs {
		p.units += v.len()
		if !v.dtype.float() {
			p.units += 3 * v.len()
		}
	}
	must(p.units <= maxRun, "a run takes too long with these inputs and outputs")
}

// packWeights packs the weights of all convolutions, on all processors.
func (p *planner) packWeights() {
	scratch := make([]int, len(p.convs))
	parallel.For(len(p.convs), 1, func(lo, _ int) {
		if p.ctx.Err() == nil {
			scratch[lo] = p.convs[lo]().Scratch()
		}
	})
	p.look()
	p.scratch = slices.Max(append(scratch, 0))
}

func (p *planner) slot(s slot) int {
	p.slots = append(p.slots, s)
	return len(p.slots) - 1
}

// ownSlot is a slot with elements of its own.
func (p *planner) ownSlot(s slot) int {
	s.root = len(p.slots)
	return p.slot(s)
}

// step adds a step of so many units of work, and notes which slots it uses.
func (p *planner) step(units int, run func(s *state, lo, hi int), out, in []int) *step {
	units += callUnits
	p.units += units
	must(p.units <= maxRun, "a run takes too long with it")
	p.uses(len(p.steps), out...)
	p.uses(len(p.steps), in...)
	p.steps = append(p.steps, step{run: run, units: units, outputs: out, inputs: in})
	return &p.steps[len(p.steps)-1]
}

func (p *planner) uses(step int, slots ...int) {
	for _, at := range slots {
		if at >= 0 && p.slots[at].buffer >= 0 {
			b := &p.buffers[p.slots[at].buffer]
			b.first, b.last = min(b.first, step), max(b.last, step)
		}
	}
}

// sizes is the number of elements of some slots, with the borders of images.
func (p *planner) sizes(slots ...int) (n int) {
	for _, at := range slots {
		if s := p.slots[at]; s.image.C > 0 {
			n += s.image.Len()
		} else {
			n += s.value.len()
		}
	}
	return n
}

func (p *planner) buffer(size int) int {
	must(size <= maxState/4, "its result takes more memory than %d bytes", maxState)
	p.buffers = append(p.buffers, buffer{size: size, first: len(p.steps)})
	return len(p.buffers) - 1
}

// place gives each buffer a part of the arena that no other has at that time.
func (p *planner) place() {
	const line = 16 // floats of a cache line
	var live []*buffer
	order := make([]*buffer, len(p.buffers))
	for k := range p.buffers {
		order[k] = &p.buffers[k]
	}
	slices.SortStableFunc(order, func(a, b *buffer) int { return cmp.Compare(a.first, b.first) })
	for _, b := range order {
		p.spend(4 * len(live))
		live = slices.DeleteFunc(live, func(o *buffer) bool { return o.last < b.first })
		for _, o := range live { // by place
			if b.offset+b.size <= o.offset {
				break
			}
			b.offset = (o.offset + o.size + line - 1) / line * line
		}
		p.arena = max(p.arena, b.offset+b.size)
		where, _ := slices.BinarySearchFunc(live, b.offset, func(o *buffer, at int) int { return cmp.Compare(o.offset, at) })
		live = slices.Insert(live, where, b)
	}
	p.arena = (p.arena + line - 1) / line * line
	for k := range p.slots {
		if s := &p.slots[k]; s.buffer >= 0 {
			s.offset = p.buffers[s.buffer].offset
		}
	}
}

// measure counts the bytes of an item, and says how many groups run at once.
func (p *planner) measure() {
	n := 4 * p.arena
	for k, s := range p.slots {
		n += int(unsafe.Sizeof(tensor{}) + unsafe.Sizeof(blas.Image{}))
		if d := s.value.dtype; s.root == k && !s.value.constant && !d.float() {
			n += d.held() * s.value.len()
		}
	}
	for _, s := range p.steps {
		n += 64 + 8*(len(s.inputs)+len(s.outputs))
	}
	ends := 0
	for _, at := range slices.Concat(p.plan.inputs, p.plan.outputs) {
		ends += 4 * p.slots[at].value.len()
	}
	must(n+ends <= maxState, "the results that are needed at once take %d MiB; at most %d are supported", (n+ends)>>20, maxState>>20)
	if p.item = n; n > largeFrom {
		p.room = make(chan struct{}, maxState/n)
	}
}

// only is the one user of v, or nil.
func (p *planner) only(v *value) *call {
	if p.isOut[v] || len(p.users[v]) != 1 {
		return nil
	}
	return p.users[v][0]
}

// there says whether v is computed by the steps so far, in some layout.
func (p *planner) there(v *value) bool {
	_, flat := p.flats[v]
	_, image := p.images[v]
	return flat || image || p.alias[v] != nil
}

// add adds the steps of a call, and of those after it that become part of it.
func (p *planner) add(c *call) {
	if p.fused(c) || p.inPlace(c) {
		return
	}
	s := step{}
	for _, v := range c.inputs {
		at := -1
		if v != nil {
			at = p.flat(v)
		}
		s.inputs = append(s.inputs, at)
	}
	for _, v := range c.outputs {
		s.outputs = append(s.outputs, p.newFlat(v))
	}
	p.step(c.units, nil, s.outputs, s.inputs).call = c
}

// inPlace adds the step of a call on images, or none for one that only renames its input;
// false if the call runs as it stands.
func (p *planner) inPlace(c *call) bool {
	v := c.outputs[0]
	_, ok := imageOf(v)
	var from blas.Image
	if len(c.inputs) > 0 && c.inputs[0] != nil {
		var in bool
		from, in = imageOf(c.inputs[0])
		ok = ok && in
	}
	switch l := c.layer.(type) {
	case renaming:
		p.alias[v] = c.inputs[0]
		return true
	case transposition:
		// An image lies in this order already.
		if at, made := p.images[c.inputs[0]]; made && slices.Equal(l.order, []int{0, 2, 3, 1}) {
			p.laidOut(at, v)
			return true
		}
	case pooling:
		if ok && len(c.inputs[0].shape) == 4 {
			p.pooling(c, l)
			return true
		}
	case globalPooling:
		if ok {
			p.pooling(c, pooling{spec: blas.GlobalPool(from.H, from.W)})
			return true
		}
	case padding:
		if ok && len(v.shape) == 4 && l.begin[0] == 0 && l.end[0] == 0 && min(slices.Min(l.begin), slices.Min(l.end)) >= 0 {
			p.padding(c, l)
			return true
		}
	case joining:
		if ok && len(v.shape) == 4 && l.axis == 1 && !slices.ContainsFunc(c.inputs, func(v *value) bool { return v.constant }) {
			p.joining(c)
			return true
		}
	case enlarging:
		if ok {
			p.enlarging(c, l)
			return true
		}
	}
	return false
}
