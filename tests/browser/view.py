# SPDX-License-Identifier: GPL-3.0-or-later
"""How the page of report html looks and moves: the log, the unit of every size, the tip
under the mouse, and the address. PAGE is suite.html's Fixture."""
import os
import re
import shutil
import subprocess
import time
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

UNITS = {'KiB': 1024, 'MiB': 1 << 20, 'GiB': 1 << 30, 'bytes': 1, 'pages': None}
VIEWS = ('overview', 'processes', 'files', 'charts')
LEVELS = ('emerg', 'alert', 'crit', 'err', 'warn', 'notice', 'info', 'debug')

# ---- the log --------------------------------------------------------------------------

# What a user sees of the lines: their text as it is copied, where its last column begins,
# and whether anything is cut off at the right.
LINES = r'''
const scroll = document.querySelector('#l-log .scroll'), view = scroll.getBoundingClientRect();
return [...scroll.querySelectorAll('.line')].map(el => {
    const text = el.querySelector('.text'), box = text && text.getClientRects()[0];
    const whole = el.getBoundingClientRect();
    return { text: el.textContent, left: box ? Math.round(box.left - view.left) : null,
        seen: whole.bottom > view.top && whole.top < view.bottom,
        cut: text ? Math.max(...[...text.getClientRects()].map(r => r.right)) > view.right : true };
});'''
WIDTHS = '''
const line = document.querySelector('#l-log .text').cloneNode();
document.querySelector('#l-log .line').append(line);
const width = s => (line.textContent = s, line.getClientRects()[0].width);
const out = ['iiii', 'WWWW', 'a  b'].map(width);
line.remove();
return out;'''


def log(page):
    page.tab('log')
    rows = page.json('dmesg')
    if not rows:        # nothing to open
        why = page.b.run('return document.querySelector("#l-log .empty").textContent')
        page.check('no log, and why', [] if why else ['nothing is said'])
        return
    lines = page.b.run(LINES)
    wide = max(5, *(len(str(r['ts'] // 10**9)) for r in (rows[0], rows[-1])))
    stamped = any(r['ts'] for r in rows)
    want = [(f'[{r["ts"] // 10**9:{wide}}.{r["ts"] // 1000 % 10**6:06}] ' if stamped else '') +
            f'{LEVELS[r["level"]]:<7}' + page.shown(r['text']).replace('\\x09', '\t')
            for r in rows]
    got = [x['text'] for x in lines]
    page.check('the log: time, level and text', [f'shown {len(got)} lines of {len(want)}']
               if len(got) != len(want) else [(a, b) for a, b in zip(got, want) if a != b])
    page.check('its text stands in one column', sorted(
        {str(x['left']) for x in lines if x['left'] is not None})[1:])
    page.check('its long lines are wrapped', [x['text'] for x in lines if x['cut']])
    page.check('its letters have one width, and blanks stay',
               [] if len(set(page.b.run(WIDTHS))) == 1 else [page.b.run(WIDTHS)])
    reason = [r['text'] for r in page.json('summary') if r['key'] == 'reason'][0]
    at = [i for i, r in enumerate(rows) if len(r['text']) > 5 and
          (r['text'].endswith(reason) or reason.endswith(r['text'] + ')'))][:1] or [len(rows) - 1]
    page.check('it opens where the machine died', [] if lines[at[0]]['seen'] else [want[at[0]]])
    word = rows[at[0]]['text'].split()[0]
    page.find('#l-log', word)
    page.equal('filtered', page.b.run('''return [...document.querySelectorAll('#l-log .line')]
        .filter(e => !e.hidden).length'''), sum(word.lower() in w.lower() for w in want))
    page.find('#l-log', '')


def fresh(page):
    """The page as it opens."""
    page.b.open(page.b.run('return location.pathname'))


# ---- units ----------------------------------------------------------------------------

# Every text in view that tells a size: not the kernel's own (log), nor sentences, nor what a page is.
SIZES = r'''
const out = [], skip = '#unit, script, style, #log, #notes .text, #sentences, [hidden]';
const tell = s => out.push(...(s.match(/[0-9][0-9.,]* ?(B|kB|[KMGTPE]iB|bytes?|pages?)\b/g) || []));
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const el = n.parentElement, key = el.previousElementSibling;
    if (!el.closest(skip) && !(el.tagName === 'DD' && key.textContent === 'cpu'))
        tell(n.data);
}
for (const el of document.querySelectorAll('#overview:not([hidden]) [aria-label]'))
    tell(el.getAttribute('aria-label'));
return out;'''
# The treemap, the first lists and the charts tell the numbers that they have.
TOLD = r'''
const out = [...document.querySelectorAll('#treemap .cell')].filter(e => e.querySelector('small'))
    .map(e => [Number(e.dataset.bytes), e.querySelector('small').textContent]);
for (const e of document.querySelectorAll('#charts text[data-bytes]'))
    if (Number(e.dataset.bytes))
        out.push([Number(e.dataset.bytes), e.textContent]);
return out;'''


def spelled(size, unit, page_size):
    by = UNITS[unit] or page_size
    if unit in ('MiB', 'GiB'):
        return f'{(Decimal(size) / by).quantize(Decimal("0.01"), ROUND_HALF_UP):,} {unit}'
    return f'{size // by:,} {unit}'


def units(page):
    page_size = page.b.run(
        'return JSON.parse(document.getElementById("data").textContent).page_size')
    fresh(page)
    for unit in UNITS:
        page.choose('unit', unit)
        found = {}
        for view in VIEWS:
            page.tab(view)
            found[view] = page.b.run(SIZES)
            for css in ('#treemap .cell.told', '#charts rect[data-bytes]'):
                if view == ('overview' if 'treemap' in css else 'charts'):
                    over(page, css)
                    found[f'tip of {view}'] = re.findall(
                        r'[\d.,]+ (?:[KMGT]iB|bytes|B|pages)\b', tip(page))
        wrong = [f'{view}: {text!r}' for view, texts in found.items()
                 for text in texts or ['no size'] if not text.endswith(unit)
                 and not (view == 'processes' and text == 'no size')]
        page.check(f'every size is in {unit}', wrong)
        told = page.b.run(TOLD)
        page.check(f'amounts in {unit}', [] if told else ['no amount'])
        page.check(f'labels in {unit} are right', [
            f'{size}: {text}' for size, text in told
            if spelled(size, unit, page_size) not in text])


# ---- tips -----------------------------------------------------------------------------

def tip(page):
    return page.b.run('''const t = document.getElementById('tip');
        return t.hidden ? '' : t.textContent;''')


def tips(page):
    """A tip that stays must be what the mouse would be told now."""
    fresh(page)
    page.equal('no tip is the browser\'s own, which stays', page.b.run(
        'return document.querySelectorAll("[title], #charts rect > title").length'), 0)
    steps = [
        ('unit', 'overview', '#treemap .cell.told', lambda: page.choose('unit', 'MiB')),
        ('inside', 'overview', '#treemap .group', lambda: page.b.click('#treemap .group')),
        ('Esc', 'overview', '#treemap .cell', lambda: page.b.press('\ue00c')),
        ('tab', 'overview', '#treemap .cell.told', lambda: page.b.run(
            'document.getElementById("tab-files").click()')),
        ('zoom', 'files', '#f-map .view', lambda: page.b.run(
            'document.querySelector("#f-map [data-zoom=\'1\']").click()')),
        ('unit over pages', 'files', '#f-map .view', lambda: page.choose('unit', 'KiB')),
        ('scroll', 'files', '#f-files tbody tr:nth-child(4) td', lambda: page.b.wheel(
            '#f-files .scroll', 300)),
        ('sort', 'files', '#f-files th button', lambda: page.b.click('#f-files th button')),
        ('filter', 'files', '#f-files tbody tr:nth-child(3) td',
         lambda: page.find('#f-files', 'lib')),
        ('unit over a chart', 'charts', '#charts rect[data-bytes]',
         lambda: page.choose('unit', 'bytes')),
    ]
    for what, view, css, act in steps:
        page.tab(view)
        before = over(page, css, *first_page(page) if css.endswith('.view') else (0, 0))
        page.check(f'a tip, before {what}', [] if before else [css])
        act()
        time.sleep(0.4 if what == 'scroll' else 0)
        stays = tip(page)
        page.check(f'the tip goes, or is new: {what}', [] if stays in ('', now(page)) else [stays])


def over(page, css, x=0, y=0):
    """The tip there. What hides it may still be under way, such as a view that scrolls."""
    page.b.hover(css, x, y)
    for _ in range(10):
        if tip(page):
            break
        time.sleep(0.1)
        page.b.nudge()
    return tip(page)


def first_page(page):
    """Where the first page of the map is, from the middle of its view."""
    wide, high = page.b.run("""const v = document.querySelector('#f-map .view');
        return [v.clientWidth, v.clientHeight];""")
    return 125 - wide // 2, 26 - high // 2


def now(page):
    """What a mouse that moves where it is would be told."""
    page.b.nudge()
    return tip(page)


# ---- links ----------------------------------------------------------------------------

STATE = '''
const state = { hash: location.hash, tab: document.querySelector('[aria-selected=true]').id,
    unit: document.getElementById('unit').value, sizes: document.getElementById('set').value,
    log: [...document.querySelectorAll('#l-log .picked')].map(e => e.dataset.key) };
const view = document.querySelector('main > section:not([hidden])');
if (view.id === 'overview')
    state.area = document.getElementById('crumbs').textContent;
for (const pane of view.querySelectorAll('.pane')) {
    const row = pane.querySelector('tr[aria-selected=true]'), input = pane.querySelector('input');
    const sort = pane.querySelector('th[aria-sort]');
    state[pane.id] = [row && row.dataset.key, input && input.value, sort &&
        sort.textContent + sort.getAttribute('aria-sort')];
}
return state;'''

OTHER = 'tr[data-key]:not([aria-selected=true])'


def links(page):
    fresh(page)
    steps = [
        lambda: page.b.click('#treemap .group'),
        lambda: page.b.press('\ue00c'),
        lambda: page.b.click('#treemap .group'),
        lambda: page.b.click('#tab-processes'),
        lambda: page.b.click('#p-procs ' + OTHER),
        lambda: page.b.click('#p-files ' + OTHER),
        lambda: page.b.click('#p-vmas tr[data-key]'),
        lambda: page.b.click('#p-procs [data-sort=rss]'),
        lambda: page.choose('set', 'exmap'),
        lambda: page.choose('unit', 'MiB'),
        lambda: page.b.click('#tab-files'),
        lambda: page.b.click('#f-files ' + OTHER),
        lambda: page.b.click('#f-procs tr[data-key]'),
        lambda: page.b.click('#tab-charts'),
        lambda: page.b.click('#tab-log'),
        lambda: page.b.run('document.querySelector("#l-log .line:nth-child(6)").click()'),
    ]
    if not page.json('dmesg'):
        steps.pop()
    states = [page.b.run(STATE)]
    for step in steps:
        step()
        states.append(page.b.run(STATE))
    page.check('each step has an address', [
        a['hash'] for a, b in zip(states, states[1:]) if a['hash'] == b['hash']])
    wrong = []
    for want in states[-2::-1]:
        page.b.go('back')
        wrong += different(page, 'back', want)
    for want in states[1:]:
        page.b.go('forward')
        wrong += different(page, 'forward', want)
    page.check('back and forward', wrong)
    path = page.b.run('return location.pathname')
    wrong = []
    for want in (states[1], states[7], states[10], states[13], states[-1]):
        page.b.open(path, want['hash'])
        wrong += different(page, 'opened', want)
    page.check('an address opens what it was taken of', wrong)
    typed(page, path)


def different(page, what, want):
    got = page.b.run(STATE)
    return [f'{what} {want["hash"]}: {k} is {got.get(k)!r}, was {v!r}' for k, v in want.items()
            if got.get(k) != v]


def typed(page, path):
    """What is typed into a filter, and addresses that somebody made up."""
    page.b.open(path)
    page.b.click('#tab-processes')
    page.b.keys('#p-procs input', '<b>zoo &+%')
    time.sleep(0.5)
    want = page.b.run(STATE)
    page.check('a filter is in the address', [] if 'filter' in want['hash'] else [want['hash']])
    page.b.open(path, want['hash'])
    page.check('and comes back', different(page, 'opened', want))
    page.b.open(path, '#tab=<img src=x>&unit=<b>x&sizes=__proto__&p-procs=constructor&x=%zz%')
    page.equal('a made-up address shows the first view', page.b.run(STATE)['tab'], 'tab-overview')
    page.b.open(path, '#tab=processes&p-procs=999999&p-procs.sort=-nothing&p-procs.filter=%F0%zz')
    page.equal('one of nothing that is there shows its tab', page.b.run(STATE)['tab'],
               'tab-processes')
    page.equal('and makes no element', page.b.run(
        'return document.querySelectorAll("main img, main b").length'), 0)


# ---- paper ----------------------------------------------------------------------------

def text_of(path):
    """The text of a PDF, page by page; words in their places."""
    done = subprocess.run(['pdftotext', '-layout', path, '-'], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split('\f')[:-1]


def outside(path):
    """Words that lie outside of their page, or across its edge."""
    done = subprocess.run(['pdftotext', '-bbox', path, '-'], stdout=subprocess.PIPE, check=True)
    out, width = [], 0
    for line in done.stdout.decode().splitlines():
        page = re.search(r'<page width="([\d.]+)"', line)
        word = re.search(r'<word xMin="([-\d.]+)".* xMax="([-\d.]+)" .*>(.*)</word>', line)
        if page:
            width = float(page.group(1))
        if word and (float(word.group(1)) < 0 or float(word.group(2)) > width):
            out.append(word.group(3))
    return out


def colours(path, scratch):
    """Of each page of a PDF: the colour that most of it has, and the share of strong ones."""
    subprocess.run(['pdftoppm', '-r', '20', path, scratch], check=True)
    folder, stem = os.path.split(scratch)
    pages = []
    for name in sorted(n for n in os.listdir(folder) if n.startswith(stem) and n.endswith('.ppm')):
        with open(os.path.join(folder, name), 'rb') as f:
            data = f.read()
        os.remove(os.path.join(folder, name))
        width, height = (int(n) for n in data.split(maxsplit=3)[1:3])
        dots = Counter(zip(*[iter(data[-3 * width * height:])] * 3))
        strong = sum(n for d, n in dots.items() if max(d) - min(d) > 60)
        pages.append((dots.most_common(1)[0][0], strong / (width * height)))
    return pages


def paper(page, scratch):
    """Each view printed, from a dark screen: nothing cut, nothing lost, in light colours."""
    if not shutil.which('pdftotext') or not shutil.which('pdftoppm'):
        page.tally.skip(f'{page.name}: paper', 'no pdftotext (Debian package poppler-utils)')
        return
    fresh(page)
    page.b.click('#theme')
    printed = {}
    for view in VIEWS + ('log',):
        page.tab(view)
        path = os.path.join(scratch, f'print-{view}.pdf')
        page.b.pdf(path)
        printed[view] = text_of(path)
        page.check(f'{view} on paper: nothing is cut at the edge', outside(path)[:3])
        seen = colours(path, os.path.join(scratch, 'print-page'))
        page.check(f'{view} on paper is light', [s for s in seen if s[0] != (255, 255, 255)])
        if view in ('overview', 'charts'):
            most = max(s[1] for s in seen)
            page.check(f'{view} on paper: areas have colours', [] if most > 0.01 else [most])
    words = ' '.join(' '.join(printed['overview']).split())
    page.check('the map of memory is on paper', [
        x for x in ('Where all memory is', 'Areas are page frames') if x not in words])
    rows = page.json('procs')
    lines = [line.split() for p in printed['processes'] for line in p.splitlines()]
    wrong = [f'{r["pid"]} {r["comm"]}' for r in rows if not any(
        line[:1] == [str(r['pid'])] and f'{r["rss"] // 1024:,}' in line and
        len(line) >= 9 for line in lines)]
    page.check('all processes are on paper, with all columns', wrong[:3])
    page.check('each page has the headings', [
        f'page {n + 1}' for n, text in enumerate(printed['processes'])
        if text.lstrip()[:1].isdigit() and not re.search('pid +process +pss', text)])
    n = len(page.json('dmesg'))
    got = len(re.findall(r'^ *(\[ *\d+\.\d{6}\]|\w+ )', '\n'.join(printed['log']), re.M))
    page.check('the whole log is on paper', [] if got >= n else [f'{got} of {n} lines'])
    page.equal('and the screen is as it was', page.b.run(
        'return document.documentElement.dataset.theme'), 'dark')


# ---- what is damaged ------------------------------------------------------------------

def incomplete(page):
    """The page of a dump of which the end is missing: it says so first, and shows nothing
    that is unknown as 0."""
    fresh(page)
    told = page.b.run('''const i = document.getElementById('issues');
        return i.hidden ? '' : i.querySelector('summary').textContent;''')
    page.check('issues are told at the top', [] if told.startswith('Incomplete result. The dump file '
               'is cut off or damaged') else [told])
    first = [r['text'] for r in page.json('summary') if r['section'] == 'damage']
    page.check('with the words of summary', [t for t in first or ['no damage'] if t not in told])
    for view in VIEWS:
        page.tab(view)
        page.check(f'and in {view}', [] if page.b.run(
            'return document.getElementById("issues").getBoundingClientRect().height') > 15 else
            ['not seen'])
    rows = page.json('procs')
    marked = {r['pid']: r for r in rows if r['incomplete']}
    page.check('rows of the report are incomplete', [] if marked else ['none'])
    page.tab('processes')
    shown = page.b.run('''return [...document.querySelectorAll('#p-procs tr[data-key]')].map(tr => [
        Number(tr.dataset.key), tr.querySelector('.mark') !== null,
        tr.querySelector('[data-col=pss]').textContent])''')
    page.check('and are marked', [s for s in shown if s[1] != (s[0] in marked)])
    page.check('nothing unknown is 0', [s for s in shown if s[0] in marked and s[2] == '0'])
    page.equal('the first of them is that of the report', shown[0][0], rows[0]['pid'])
    page.check('a sum of nothing known is not 0', [] if any(r['pss'] for r in rows) or page.b.run(
        'return document.querySelector("#p-procs tfoot [data-col=pss]").textContent') == '-' else ['0'])
    page.equal('the console is silent', page.b.complaints(), [])
