// SPDX-License-Identifier: GPL-3.0-or-later
// The fleet: rows of its reports, as the lists (table.js) take them.

const D = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);

// What lists ask for of the page of one dump; a fleet has none of it.
const PAGE = 4096, RAM = Infinity, OVER = '';
const TITLE = {}, ABOUT = {}, LARGEST = {};
const EACH_PROC = new Set(), REPEATED = new Set();

// Rows of a table of D as objects; key: their number from 0.
function rowsOf(table) {
	const read = reader(table), names = Object.keys(table.columns || {}), out = [];

	for (let i = 0; i < (table.n || 0); i++) {
		const row = { key: i };

		for (const n of names)
			row[n] = read[n](i);
		out.push(row);
	}
	for (const n of names)
		LARGEST[n] = out.reduce((sum, r) => sum + Math.abs(Number(r[n]) || 0), LARGEST[n] || 0);
	return out;
}

// Columns of a list: those of the table that are named, in this order.
function columnsOf(table, names, wide) {
	return names.map(n => {
		const c = table.columns[n], size = c.type === 'bytes' || n === 'delta' || n === 'per_hour';

		return { name: n, title: n, about: c.about, size, num: c.type !== 'text',
			total: n === 'dumps' && table === D.tables.clusters, width: size || wide[n] ? wide[n] : c.type === 'text' ? undefined : '6.5em' };
	});
}

const dumps = rowsOf(D.tables.dumps);
const clusters = rowsOf(D.tables.clusters);
const regress = rowsOf(D.tables.regress);
const leaks = rowsOf(D.tables.leaks);
