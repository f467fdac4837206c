// SPDX-License-Identifier: GPL-3.0-or-later
// Sections and symbols: exmap's sizes of any range of bytes of an ELF file, from the
// page maps of the mappings that it is loaded by (model/memory/elf/elfloads.c has the rules).

const elfOfObject = new Map(D.elf.map(e => [e.object, e]));

// At most this many sections or symbols times vmas: a second's work.
const MOST_WORK = 2e6;

function up(x) {
	return Math.ceil(x / PAGE) * PAGE;
}

function down(x) {
	return Math.floor(x / PAGE) * PAGE;
}

// Is V a vma of the file because the file is loaded with BIAS?
function explained(elf, v, bias) {
	const off = D.vmas.offset[v] * PAGE, start = D.vmas.start[v] * PAGE;
	const end = off + BYTES.size[v];

	return elf.segments.some(([offset, vaddr, filesz]) => {
		const lo = Math.max(down(offset), off), hi = Math.min(up(offset + filesz), end);

		return filesz && hi > lo && start - off - (vaddr - offset) === bias;
	});
}

// The parts of V that belong to the file, for a load: [address, end) in pieces.
function piecesOf(elf, v, bias) {
	const start = D.vmas.start[v] * PAGE, end = start + BYTES.size[v];

	if (D.vmas.object[v] === elf.object)
		return explained(elf, v, bias) ? [[start, end]] : [];
	if (D.vmas.object[v] === null || objects[D.vmas.object[v]].kind)
		return [];
	return elf.segments.filter(g => g[3] > g[2]).map(([, vaddr, filesz, memsz]) => [
		Math.max(start, up(vaddr + filesz) + bias), Math.min(end, vaddr + memsz + bias)])
		.filter(([lo, hi]) => lo < hi);
}

// The memory of a file: pieces by its own addresses, [{at, end, runs, start, times}]. MM: of one
// process, each counted once; null: of all.
function elfMemory(elf, mm) {
	const out = [];

	for (const [m, bias] of elf.loads) {
		if (mm !== null && m !== mm)
			continue;
		for (const v of vmasOfMm(m)) {
			for (const [lo, hi] of piecesOf(elf, v, bias)) {
				out.push({ at: lo - bias, end: hi - bias, runs: runsOf(v),
					start: D.vmas.start[v] * PAGE - bias,
					times: mm === null ? D.mms.procs[m] || 1 : 1 });
			}
		}
	}
	return out;
}

// Sizes of the file's bytes [from, to); null if a page map was left out.
function elfSizes(memory, from, to) {
	const z = { vm: 0, mapped: 0, eff_mapped: 0, sole: 0, resident: 0, eff_resident: 0,
		writable: 0 };

	for (const p of memory) {
		const lo = Math.max(from, p.at), hi = Math.min(to, p.end);

		if (lo >= hi)
			continue;
		if (!p.runs)
			return null;
		z.vm += (hi - lo) * p.times;
		for (let i = firstRun(p.runs, Math.floor((lo - p.start) / PAGE)); i < p.runs.length; i++) {
			const r = p.runs[i], at = p.start + r.at * PAGE;

			if (at >= hi)
				break;
			addRun(z, r, (Math.min(hi, at + r.pages * PAGE) - Math.max(lo, at)) * p.times);
		}
	}
	return z;
}

const NOT_RESIDENT = [2, 8];

function addRun(z, r, bytes) {
	const each = r.count ? bytes / r.count : 0;

	z.mapped += bytes;
	z.eff_mapped += each;
	if (r.count === 1)
		z.sole += bytes;
	if (NOT_RESIDENT.includes(r.kind))
		return;
	z.resident += bytes;
	z.eff_resident += each;
	if (r.writable)
		z.writable += bytes;
}

function unknownSizes() {
	return Object.fromEntries(SETS.exmap.map(n => [n, null]));
}

function elfRow(memory, key, name, addr, size, more) {
	return { key, name: name === null ? '' : D.strings[name], addr, bytes: size, ...more,
		...(elfSizes(memory, addr, addr + size) || unknownSizes()) };
}

// null: too much work.
function elfSections(elf, memory) {
	if (elf.sections.length * memory.length > MOST_WORK)
		return null;
	return elf.sections.map(([name, addr, offset, size], i) =>
		elfRow(memory, i, name, addr, size, { offset }));
}

// Symbols that share a byte with the section; null: too much work.
function elfSymbols(elf, memory, section) {
	const end = section.addr + section.bytes;
	const some = elf.symbols.filter(([, addr, size]) => addr < end && addr + size > section.addr);

	if (some.length * memory.length > MOST_WORK)
		return null;
	return some.map(([name, addr, size], i) => elfRow(memory, i, name, addr, size, {}));
}
