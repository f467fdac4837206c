# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of report html, in a real browser: it shows the values of json, clicks have their
effect, and it needs no network."""
import json
import os
import re
import shutil
import subprocess
import time
from collections import Counter

from browser import fleet, view
from browser.driver import Browsers, missing
from lib.scratch import scratch_of

DOWN, RIGHT, ESCAPE = '\ue015', '\ue014', '\ue00c'
SMAPS = ['pss', 'uss', 'rss', 'swap', 'anon', 'file', 'shmem']
EXMAP = ['eff_resident', 'eff_mapped', 'sole', 'writable', 'resident', 'mapped', 'vm']

# All rows of a list, which has but those in view: scroll through it.
ROWS = '''
const pane = document.querySelector(arguments[0]), scroll = pane.querySelector('.scroll');
const out = [], seen = new Set();
for (let y = 0; ; y += Math.max(scroll.clientHeight / 2, 200)) {
    scroll.scrollTop = y;
    scroll.dispatchEvent(new Event('scroll'));
    for (const tr of pane.querySelectorAll('tbody tr[data-key]')) {
        if (seen.has(tr.dataset.key))
            continue;
        seen.add(tr.dataset.key);
        const row = { key: tr.dataset.key };
        for (const td of tr.children)
            row[td.dataset.col] = (td.dataset.tip || td.textContent).split('\\n')[0];
        out.push(row);
    }
    if (y >= scroll.scrollHeight)
        break;
}
scroll.scrollTop = 0;
scroll.dispatchEvent(new Event('scroll'));
return out;'''
TOTALS = '''
return Object.fromEntries([...document.querySelectorAll(arguments[0] + ' tfoot td')]
    .map(td => [td.dataset.col, td.textContent]));'''
CHOOSE = '''
const s = document.getElementById(arguments[0]);
s.value = arguments[1];
s.dispatchEvent(new Event('change'));'''


def number(text):
    return int(text.replace(',', ''))


def shown(text):
    """A string of json as the page has it: control characters as \\xHH."""
    return re.sub(r'[\x00-\x1f\x7f\x80-\x9f]', lambda m: ''.join(
        f'\\x{b:02x}' for b in m.group().encode()), text or '')

# What the page does is the same on all dumps: each part of it is tried on one or two of them. One
# has a log from a crash, one another word size, one another page size, one another byte order, one
# has binaries.
PARTS = 'keyboard', 'charts', 'units', 'tips', 'links', 'paper'
BEHAVIOUR = {
    'x86_64-6.1-sysrq': PARTS,
    'i386-pae-6.1': ('keyboard', 'tips'),
    'ppc64le-hash-6.1': ('charts', 'units'),
    'ppc32-e500-6.1': (),
    'x86_64-6.1-arrays': (),
}


class Page:
    """One page and the browser that shows it; checks are told to TALLY under NAME."""

    def __init__(self, tally, name, browser):
        self.tally, self.name, self.b = tally, name, browser

    def check(self, what, wrong):
        self.tally.check(f'{self.name}: {what}', wrong)

    def equal(self, what, got, want):
        self.check(what, [] if got == want else [f'shown {got!r}', f'expected {want!r}'])

    def rows(self, pane):
        return self.b.run(ROWS, pane)

    def tab(self, name):
        """Without the mouse, which takes long: links() of view.py clicks on each tab. A treemap that was
        hidden is drawn in the next frame, when its size is known."""
        self.b.run('''document.getElementById(arguments[0]).click();
            return new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f())));''', f'tab-{name}')

    @staticmethod
    def shown(text):
        return shown(text)

    def choose(self, what, value):
        self.b.run(CHOOSE, what, value)


class Fixture(Page):
    def __init__(self, tally, name, browser, program, image, scratch, truth=''):
        super().__init__(tally, name, browser)
        self.program, self.image = program, image       # image: with -t FILE, if it needs one
        self.scratch, self.truth = scratch, truth

    def json(self, *args):
        done = subprocess.run([self.program, *args, *self.image, '-q', '-f', 'json'],
                              stdout=subprocess.PIPE, check=False)
        return json.loads(done.stdout)['rows']

    def numbers(self):
        """What the page shows of this dump."""
        self.choose('unit', 'bytes')
        self.overview()
        self.processes()
        self.one_process()
        self.files()
        self.page_map()
        self.binaries()
        view.log(self)

    def behaviour(self, parts):
        """What the page does, whatever the dump."""
        do = {'keyboard': self.keyboard, 'charts': self.charts,
              'units': lambda: view.units(self), 'tips': lambda: view.tips(self),
              'links': lambda: view.links(self), 'paper': lambda: view.paper(self, self.scratch)}
        for part in parts:
            do[part]()

    # ---- overview ----

    def overview(self):
        facts = self.json('summary')
        reason = [r['text'] for r in facts if r['key'] == 'reason']
        head = self.b.run('return document.getElementById("headline").firstChild.textContent')
        self.equal('the headline is the reason', [head], [shown(r) for r in reason])
        data = self.b.run('''const d = JSON.parse(document.getElementById('data').textContent);
            return [d.ram, d.tables.census.columns.size.v];''')
        self.equal('classes add up to RAM', sum(x or 0 for x in data[1]), data[0])
        cells = self.b.run('''return [...document.querySelectorAll('#treemap > button')].map(e => ({
            level: e.dataset.level, name: e.dataset.name, bytes: Number(e.dataset.bytes),
            area: Number(e.dataset.area) }));''')
        top = [c for c in cells if c['level'] == '1']
        self.equal('areas of the treemap add up to RAM', sum(c['bytes'] for c in top),
                   data[0])
        ram = self.ram()
        if ram:
            self.check('they are no more than RAM, and no page less than the zones have',
                       [f'{data[0]} bytes shown, System RAM {ram[0]}, present {ram[1]}']
                       if data[0] > ram[0] or data[0] < ram[1] else [])
        self.check('what is added up is no more than RAM', self.sums(data[0]))
        area = sum(c['area'] for c in top)
        self.check('areas are as their bytes', [
            f'{c["name"]}: {c["area"] / area:.3f} of the area, {c["bytes"] / data[0]:.3f} of all'
            for c in top if abs(c['area'] / area - c['bytes'] / data[0]) > 0.02])
        self.b.click('#treemap .group')
        inside = self.b.run('''return [...document.querySelectorAll('#treemap > button')]
            .reduce((s, e) => s + Number(e.dataset.bytes), 0);''')
        group = max((c for c in top if c['level'] == '1'), key=lambda c: c['bytes'] == inside)
        self.equal('inside of a class, its parts add up to it', inside, group['bytes'])
        self.b.click('#crumbs button')

    def ram(self):
        """Bytes of System RAM by /proc/iomem, and present by /proc/zoneinfo, or None."""
        said = []
        for name in ('iomem', 'zoneinfo'):
            path = os.path.join(self.truth, name)
            if not self.truth or not os.path.exists(path):
                return None
            with open(path) as f:
                said.append(f.read())
        lines = re.findall(r'^([0-9a-f]+)-([0-9a-f]+) : System RAM$', said[0], re.M)
        page_size = self.b.run(
            'return JSON.parse(document.getElementById("data").textContent).page_size')
        return (sum(int(end, 16) + 1 - int(start, 16) for start, end in lines),
                sum(int(n) for n in re.findall(r'^ +present +(\d+)$', said[1], re.M)) * page_size)

    def sums(self, ram):
        """Totals of lists that are more than all memory: none, but in virtual size."""
        wrong = []
        for tab, lists in (('processes', ('#p-procs', '#p-files')), ('files', ('#f-files',))):
            self.tab(tab)
            for pane in lists:
                totals = self.b.run(TOTALS, pane)
                wrong += [f'{pane}: {c} {v}' for c, v in totals.items() if c not in (
                    'size', 'swap', 'procs') and v[:1].isdigit() and number(v) > ram]
        self.tab('overview')
        return wrong

    # ---- processes ----

    def compare(self, what, got, want, columns, slack=0):
        """Rows by name, as multisets: names may stand more than once."""
        wrong = []
        for name in sorted(set(got) | set(want)):
            a, b = sorted(got.get(name, [])), sorted(want.get(name, []))
            if len(a) != len(b) or any(abs(x - y) > slack for r, s in zip(a, b)
                                       for x, y in zip(r, s)):
                wrong.append(f'{name!r} {columns}: shown {a}, expected {b}')
        self.check(what, wrong)

    def processes(self):
        self.tab('processes')
        for sizes, set_ in ((SMAPS, 'smaps'), (EXMAP, 'exmap')):
            self.choose('set', set_)
            want = {f'{r["pid"]} {shown(r["comm"]) or "-"}':
                    [[r[c] or 0 for c in sizes]] for r in self.json('procs', '-c',
                    ','.join(['pid', 'comm'] + sizes))}
            got = {f'{r["pid"]} {r["comm"]}': [[number(r[c]) for c in sizes]]
                   for r in self.rows('#p-procs')}
            self.compare(f'processes, sizes of {set_}', got, want, sizes)
        self.choose('set', 'smaps')
        rows = self.json('procs')
        once = {r['mm'] or f'none {r["pid"]}': r for r in rows}.values()
        totals = self.b.run(TOTALS, '#p-procs')
        self.equal('totals of processes', {c: totals[c] for c in SMAPS},
                   {c: self.total(c, sum(r[c] or 0 for r in once)) for c in SMAPS})
        self.b.click('#p-procs [data-sort=comm]')
        got = [r['comm'] for r in self.rows('#p-procs')]
        self.equal('sorted by name, those without one last', got,
                   sorted(got, key=lambda s: (s == '-', s.encode('utf-16-be'))))
        self.b.click('#p-procs [data-sort=rss]')
        got = [number(r['rss']) for r in self.rows('#p-procs')]
        self.equal('sorted by rss', got, sorted(got, reverse=True))
        self.b.click('#p-procs [data-sort=rss]')
        self.equal('and the other way', [number(r['rss']) for r in self.rows('#p-procs')],
                   got[::-1])
        word = rows[0]['comm'][:5]
        self.b.keys('#p-procs input', word)
        want = sorted(r['pid'] for r in rows if word.lower() in
                      f'{r["pid"]}\n{shown(r["comm"])}'.lower())
        self.equal('filtered', sorted(number(r['pid']) for r in self.rows('#p-procs')), want)
        self.find('#p-procs', '')
        self.choose('unit', 'MiB')
        want = f'{self.json("procs", "-s", "-rss")[0]["rss"] / 1048576:,.2f}'
        self.b.click('#p-procs [data-sort=rss]')
        self.equal('in MiB', self.rows('#p-procs')[0]['rss'], want)
        self.choose('unit', 'bytes')

    def total(self, column, sum_):
        """As a list tells it: no sum that pages in it several times make larger than RAM."""
        ram = self.b.run('const d = JSON.parse(document.getElementById("data").textContent);'
                         'return d.ram')
        return '-' if column in ('rss', 'anon', 'file', 'shmem') and sum_ > ram else f'{sum_:,}'

    def one_process(self):
        """The largest process: its files, and the vmas of the first of them."""
        row = self.json('procs')[0]
        self.b.click(f'#p-procs tr[data-key="{row["pid"]}"]')
        vmas = [v for v in self.json('vmas', '--pid', str(row['pid']))]
        want = {}
        for v in vmas:
            sums = want.setdefault(shown(v['name']) or '[anon]', [0] * len(SMAPS))
            for i, c in enumerate(SMAPS):
                sums[i] += v[c]
        got = {}
        for r in self.rows('#p-files'):
            sums = got.setdefault(r['name'], [0] * len(SMAPS))
            for i, c in enumerate(SMAPS):
                sums[i] += number(r[c])
        self.compare('files of a process', {k: [v] for k, v in got.items()},
                     {k: [v] for k, v in want.items()}, SMAPS)
        first = self.rows('#p-files')[0]
        self.b.click(f'#p-files tr[data-key="{first["key"]}"]')
        got = sorted((r['start'], r['perms'], number(r['pss'])) for r in self.rows('#p-vmas'))
        want = sorted((v['start'], v['perms'], v['pss']) for v in vmas
                      if (shown(v['name']) or '[anon]') == first['name'])
        self.equal('vmas of the file', got, want)

    # ---- files ----

    def files(self):
        self.tab('files')
        self.choose('set', 'exmap')
        want, got = {}, {}
        for r in self.json('files', '-c', ','.join(['name', 'procs', 'vmas'] + EXMAP)):
            want.setdefault(shown(r['name']), []).append([r['procs']] + [r[c] for c in EXMAP])
        vmas = max(r['vmas'] for r in self.json('files'))
        for r in self.rows('#f-files'):
            got.setdefault(r['name'], []).append([number(r['procs'])] +
                                                 [number(r[c]) for c in EXMAP])
        # each vma's effective sizes are rounded, in the sum of the report once
        self.compare('files, sizes of exmap', got, want, ['procs'] + EXMAP, slack=vmas)
        self.choose('set', 'smaps')
        users = max(self.rows('#f-files'), key=lambda r: (r['name'].startswith('/'),
                                                          number(r['procs'])))
        self.find('#f-files', users['name'])
        self.b.click(f'#f-files tr[data-key="{users["key"]}"]')
        self.equal('processes of a file', len(self.rows('#f-procs')), number(users['procs']))
        self.equal('what its processes cost adds up to it',
                   self.b.run(TOTALS, '#f-procs')['pss'], users['pss'])

    # ---- pages ----

    def page_map(self):
        level = 'return document.querySelector("#f-map .zoom span").textContent'
        painted = '''const c = document.querySelector('#f-map canvas');
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            const seen = new Set();
            for (let i = 0; i < d.length; i += 4)
                seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
            return seen.size;'''
        self.check('the page map is painted', [] if self.b.run(painted) > 3 else ['it is blank'])
        before = self.b.run(level)
        self.b.click('#f-map [data-zoom="1"]')
        smaller = self.b.run(level)
        self.check('zoom out', [] if smaller != before else [before])
        self.b.click('#f-map [data-zoom="-1"]')
        self.equal('and in again', self.b.run(level), before)
        self.b.click('#f-map [data-enlarge]')
        self.equal('enlarged', self.b.run('''return getComputedStyle(
            document.getElementById('f-files')).display'''), 'none')
        self.b.keys('#f-map .view', ESCAPE)
        self.equal('and back', self.b.run('''return getComputedStyle(
            document.getElementById('f-files')).display'''), 'grid')
        self.runs()

    # ---- sections and symbols ----

    def binaries(self):
        """Of a file whose binary is known, in one process and in all, against the reports."""
        known = self.json('sections')
        if not known:
            self.tab('processes')
            why = self.b.run('return document.querySelector("#p-sections .empty").textContent')
            self.check('no binaries, and why', [] if 'No binaries are known' in why else [why])
            return
        file = max(known, key=lambda r: r['writable'])['file']
        pid = str(self.json('procs', '--file', file)[0]['pid'])
        self.tab('processes')
        self.find('#p-procs', pid)
        self.b.click(f'#p-procs tr[data-key="{pid}"]')
        self.find('#p-files', file)
        key = next(r['key'] for r in self.rows('#p-files') if r['name'] == shown(file))
        self.b.click(f'#p-files tr[data-key="{key}"]')
        self.one_binary('#p', ['--file', file, '--pid', pid])
        self.tab('files')
        self.find('#f-files', file)
        key = next(r['key'] for r in self.rows('#f-files') if r['name'] == shown(file))
        self.b.click(f'#f-files tr[data-key="{key}"]')
        self.one_binary('#f', ['--file', file])

    def one_binary(self, tab, options):
        where = ' '.join(options)
        want = {r['section']: [[r[c] for c in EXMAP]] for r in self.json('sections', *options)}
        got = {r['name']: [[number(r[c]) for c in EXMAP]]
               for r in self.rows(f'{tab}-sections')}
        self.compare(f'sections {where}', got, want, EXMAP, slack=1)
        keys = {r['name']: r['key'] for r in self.rows(f'{tab}-sections')}
        for name in {'.data', '.bss', '.text'} & set(keys):
            key = keys[name]
            self.find(f'{tab}-sections', name)
            self.b.click(f'{tab}-sections tr[data-key="{key}"]')
            want, got = {}, {}
            for r in self.json('symbols', *options, '-w', f'section="{name}"'):
                want.setdefault(shown(r['symbol']), []).append([r[c] for c in EXMAP])
            for r in self.rows(f'{tab}-symbols'):
                got.setdefault(r['name'], []).append([number(r[c]) for c in EXMAP])
            self.compare(f'symbols of {name} {where}', got, want, EXMAP, slack=1)

    def find(self, pane, text):
        """Into the filter of a list, so that the wanted row is in view."""
        self.b.run('''const i = document.querySelector(arguments[0] + ' input');
            i.value = arguments[1];
            i.dispatchEvent(new Event('input'));''', pane, text)

    def runs(self):
        """Pages of the maps against rss and swap of the vmas, for every process."""
        wrong = self.b.run('''
            const d = JSON.parse(document.getElementById('data').textContent), wrong = [];
            const blob = Uint8Array.from(atob(d.maps), c => c.charCodeAt(0));
            const sizes = {};
            for (const n of ['resident', 'mapped']) {
                sizes[n] = [];
                for (const x of d.vmas.sizes[n].v)
                    if (x < 0) sizes[n].push(...new Array(-x).fill(0));
                    else sizes[n].push(x * d.vmas.sizes[n].unit / d.page_size);
            }
            d.vmas.start.forEach((start, v) => {
                let i = d.vmas.map_at[v], there = 0;
                let resident = 0;
                const end = i + d.vmas.map_len[v];
                const number = () => {
                    let x = 0, s = 1, b;
                    do { b = blob[i++]; x += (b & 127) * s; s *= 128; } while (b & 128);
                    return x;
                };
                while (i < end) {
                    const n = number(), st = d.states[number()];
                    if (st[0]) there += n;
                    if (st[0] && st[0] !== 2 && st[0] !== 8) resident += n;
                }
                if (there !== sizes.mapped[v] || resident !== sizes.resident[v])
                    wrong.push(`vma ${v}: ${resident} pages of ${there} in the map, ` +
                        `${sizes.resident[v]} resident of ${sizes.mapped[v]}`);
            });
            return wrong;''')
        self.check('page maps hold what is resident', wrong)

    # ---- the rest ----

    def keyboard(self):
        self.tab('files')
        self.b.keys('#tab-files', RIGHT)
        self.equal('arrows walk the tabs', self.b.run('return document.activeElement.id'),
                   'tab-charts')
        self.tab('processes')
        self.find('#p-procs', '')
        self.b.run('document.querySelector("#p-procs tr[data-key]").click()')
        before = self.b.run('''const l = document.querySelector('#p-procs .scroll'); l.focus();
            return l.querySelector('[aria-selected=true]').dataset.key;''')
        self.b.keys('#p-procs .scroll', DOWN)
        after = self.b.run('''return document.querySelector(
            '#p-procs tr[aria-selected=true]').dataset.key''')
        self.check('arrows walk a list', [] if before != after else [before])
        self.b.keys('#p-procs .scroll', '/')
        self.equal('a slash goes to the filter',
                   self.b.run('return document.activeElement.type'), 'search')

    def charts(self):
        self.tab('charts')
        got = self.b.run('return document.querySelectorAll("#charts svg rect[data-bytes]").length')
        self.check('charts are there', [] if got > 0 else ['no bar'])

    def quiet(self):
        self.equal('the console is silent', self.b.complaints(), [])
        asked = [u for u in self.b.requests() if not u.startswith(('file://', 'data:'))]
        self.equal('nothing is asked of the network', asked, [])


HOSTILE = ('</script><b>x', '"\'><img src=x>', '\\xff\\xfe\\x80 \\x1b[2J', '<!--<script>',
           '&lt;\\u003c\\x0a', '\\xe2\\x80\\xae-drowssap', '\\xe2\\x81\\xa6\\xd8\\x9c x',
           "' onclick=x y='", '*/</style><svg', '${x}`]]>')


def hostile(tally, page, browser):
    """Names that are markup stay text; no script but the page's own can run."""
    p = Page(tally, 'html, hostile names', browser)
    browser.open(page)
    p.equal('the host', browser.run('return document.getElementById("host").textContent'),
            '</title><i>host')
    p.tab('processes')
    names = [r['comm'] for r in p.rows('#p-procs')][-60:] + [r['comm'] for r in p.rows('#p-procs')]
    for name in HOSTILE:
        p.check(f'{name} is text', [] if name in names else [Counter(names).most_common(3)])
    p.tab('files')
    files = '\n'.join(r['name'] for r in p.rows('#f-files'))
    p.check('so it is in a path', [n for n in HOSTILE[:-1] if n not in files])
    p.tab('log')
    lines = browser.run("""return [...document.querySelectorAll('#l-log .text')]
        .map(e => e.textContent)""")
    p.check('so it is in the log', [n for n in HOSTILE if n not in lines])
    p.check('and in issues', [n for n in HOSTILE[:1] if n not in browser.run(
        'return document.getElementById("issues").textContent')])
    p.tab('charts')
    charts = browser.run('return document.getElementById("charts").textContent')
    p.check('and in charts', [n for n in HOSTILE[:1] if n not in charts])
    browser.hover('#charts rect[data-bytes]')
    p.tab('overview')
    cell = '#treemap .cell[data-name*="<"]'
    view.over(p, cell)
    want = browser.run('return document.querySelector(arguments[0]).dataset.name', cell)
    p.check('and in a tip', [] if view.tip(p).startswith(want) else [view.tip(p)])
    everything = browser.run('return document.body.textContent + document.title')
    p.equal('nothing turns the direction of a line', re.findall(
        '[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]', everything), [])
    p.equal('no element was made of a name', browser.run("""return [...document.querySelectorAll(
        'img, [onclick], [onerror], main b:not(.mark), main i:not(.legend i), style ~ svg, title i')]
        .map(e => e.outerHTML)"""), [])
    p.equal('the console is silent', browser.complaints(), [])
    browser.run('''const s = document.createElement('script');
        s.textContent = 'window.ran = 1'; document.body.append(s);''')
    p.equal('a script put into it does not run', browser.run('return window.ran === undefined'),
            True)


def large(tally, page, browser):
    """How long a machine of 2,000 processes and 200,000 vmas takes to open: told, and
    checked against a limit that only a fault exceeds."""
    started = time.time()
    browser.open(page)
    browser.click('#tab-processes')
    browser.click('#tab-files')
    took = time.time() - started
    size = os.path.getsize(page) >> 20
    rows = browser.run('return document.querySelectorAll("#p-procs tbody tr").length')
    ram = browser.run("""const d = JSON.parse(document.getElementById('data').textContent);
        return d.ram;""")
    over = [f'{pane} {c}: {v} KiB of {ram // 1024}' for pane in ('#p-procs', '#f-files')
            for c, v in browser.run(TOTALS, pane).items()
            if c not in ('size', 'swap', 'procs') and v[:1].isdigit() and number(v) * 1024 > ram]
    tally.check('html, 2,000 processes that share much: no total is more than RAM', over)
    tally.check('html, 200,000 vmas', [] if took < 60 and rows < 200 else
                [f'{took:.1f} s, {rows} rows'], f'{size} MiB, opened in {took:.1f} s')


def one(b, tally, fixture, program, scratch, thorough):
    mine = os.path.join(scratch, fixture.name)
    page = mine + '.html'
    image = fixture.image() + (['-t', fixture.types()] if fixture.types() else [])
    os.makedirs(mine, exist_ok=True)
    done = subprocess.run([program, 'html', *image, '-q', '-o', page], check=False)
    tally.check(f'html {fixture.name}: written', [] if done.returncode in (0, 2) else [done])
    b.open(page)
    looks = Fixture(tally, f'html {fixture.name}', b, program, image, mine, fixture.truth())
    looks.numbers()
    looks.behaviour(PARTS if thorough else BEHAVIOUR.get(fixture.name, ()))
    looks.quiet()


def cut(b, tally, fixture, program, scratch):
    """A dump without its last tenth."""
    source, = fixture.image()
    short, page = os.path.join(scratch, 'cut'), os.path.join(scratch, 'cut.html')
    shutil.copyfile(source, short)
    os.truncate(short, os.path.getsize(source) * 9 // 10)
    done = subprocess.run([program, 'html', short, '-q', '-o', page], check=False)
    tally.check('html of a dump that is cut off: exit status 2',
                [] if done.returncode == 2 else [done.returncode])
    b.open(page)
    view.incomplete(Fixture(tally, 'html, cut off', b, program, [short], scratch))


CELLS = """return [...document.querySelectorAll('#treemap .cell')].map(c => [c.dataset.bytes, c.getAttribute('style'),
    c.className, getComputedStyle(c).backgroundColor, c.dataset.name.replace(/reworded /g, '')]);"""


def reworded(b, tally, build, fixture, program, scratch):
    """A program with other words for each class draws the same picture."""
    pictures = []
    for name, by in (('words', program), ('reworded', os.path.join(build, 'tools', 'reworded'))):
        page = os.path.join(scratch, name + '.html')
        subprocess.run([by, 'html', *fixture.image(), '-q', '-o', page], check=False)
        b.open(page)
        pictures.append(b.run(CELLS))
    tally.check('html, other words for classes: the same picture',
                [] if pictures[0] == pictures[1] and len(pictures[0]) > 30 else pictures)


def made(b, tally, build, scratch):
    small, big = os.path.join(scratch, 'hostile.html'), os.path.join(scratch, 'big.html')
    tool = os.path.join(build, 'tools', 'bigpage')
    subprocess.run([tool, small, '50', '2000'], check=True)
    subprocess.run([tool, big, '2000', '200000'], check=True)
    hostile(tally, small, b)
    large(tally, big, b)


def of_fleet(b, tally, build, program, scratch):
    fleet.look(Page(tally, 'html of a fleet', b), program, build, scratch)


def jobs(tally, build, fixtures, program, thorough):
    """THOROUGH: every fixture, and all that the page does on each, in the whole Chromium."""
    why = missing()
    if why:
        tally.skip('html', why)
        return []
    folder = scratch_of(build, 'html')
    os.makedirs(folder, exist_ok=True)
    pages = [('html made', made, tally, build, folder)]
    pages += [('html of a fleet', of_fleet, tally, build, program, folder)]
    pages += [('html, cut off', cut, tally, f, program, folder) for f in fixtures
              if f.name == 'x86_64-6.1-sysrq']
    pages += [('html, other words', reworded, tally, build, f, program, folder) for f in fixtures
              if f.name == 'x86_64-6.1-elf']
    pages += [(f'html {f.name}', one, tally, f, program, folder, thorough) for f in fixtures
              if thorough or f.name in BEHAVIOUR]
    browsers = Browsers(len(pages), thorough)

    def job(look, *args):
        with browsers.job() as b:
            look(b, *args)
    return [(name, lambda how=how: job(*how)) for name, *how in pages]
