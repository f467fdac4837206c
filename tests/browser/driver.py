# SPDX-License-Identifier: GPL-3.0-or-later
"""Headless Chromium through chromedriver, spoken to in the WebDriver protocol (W3C): only Python's
own library is needed."""
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

# not the script of this name in /usr/bin, which would be killed in its place
SHELL = '/usr/lib/chromium/chromium-headless-shell'
ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'


def missing():
    """What must be installed, or ''."""
    if not (shutil.which('chromium') or shutil.which('google-chrome')):
        return 'no chromium (Debian package chromium)'
    return '' if shutil.which('chromedriver') else \
        'no chromedriver (Debian package chromium-driver)'


class Browser:
    """WHOLE: Chromium. Else its engine without windows if that is installed, which takes a quarter less
    of the processor."""

    def __init__(self, whole=False, size=(1440, 900)):
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
        for line in self.driver.stdout:
            m = re.search(r'started successfully on port (\d+)', line)
            if m:
                break
        else:
            raise RuntimeError('chromedriver did not start')
        self.base = f'http://127.0.0.1:{m.group(1)}'
        options = ['--headless=new', '--disable-gpu', '--disable-dev-shm-usage',
                   '--window-size=%d,%d' % size]
        if os.geteuid() == 0:
            options.append('--no-sandbox')
        chrome = {'args': options, 'perfLoggingPrefs': {'enablePage': False}}
        if not whole and os.path.exists(SHELL):
            chrome['binary'] = SHELL
        wanted = {'browserName': 'chrome', 'goog:chromeOptions': chrome,
                  'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}
        answer = self.call('POST', '/session', {'capabilities': {'alwaysMatch': wanted}})
        self.session = f'/session/{answer["sessionId"]}'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call('DELETE', self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == 'POST' else None
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={'Content-Type': 'application/json'})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as e:
            raise RuntimeError(f'{path}: {e.read()[:600]!r}') from e

    def open(self, path, fragment=''):
        for url in ('about:blank', f'file://{os.path.abspath(path)}{fragment}'):
            self.call('POST', self.session + '/url', {'url': url})

    def go(self, way):
        """WAY: back, forward or refresh."""
        self.call('POST', f'{self.session}/{way}')

    def run(self, script, *args):
        """What SCRIPT returns; it sees ARGS as arguments[]."""
        return self.call('POST', self.session + '/execute/sync',
                         {'script': script, 'args': list(args)})

    def find(self, css):
        return self.call('POST', self.session + '/element',
                         {'using': 'css selector', 'value': css})[ELEMENT]

    def click(self, css):
        """As a user does: the element must be in view and on top. One that was drawn anew since it was
        found is looked for again."""
        for last in (False, False, True):
            try:
                return self.call('POST', f'{self.session}/element/{self.find(css)}/click')
            except RuntimeError as e:
                if last or 'stale element' not in str(e):
                    raise

    def keys(self, css, text):
        self.call('POST', f'{self.session}/element/{self.find(css)}/value', {'text': text})

    def hover(self, css, x=0, y=0):
        """The mouse to X, Y from the middle of the element."""
        move = {'type': 'pointerMove', 'duration': 0, 'x': x, 'y': y,
                'origin': {ELEMENT: self.find(css)}}
        self.call('POST', self.session + '/actions', {'actions': [
            {'type': 'pointer', 'id': 'mouse', 'actions': [move]}]})

    def nudge(self):
        """The mouse moves by a pixel, and back."""
        moves = [{'type': 'pointerMove', 'duration': 0, 'x': x, 'y': 0, 'origin': 'pointer'}
                 for x in (1, -1)]
        self.call('POST', self.session + '/actions', {'actions': [
            {'type': 'pointer', 'id': 'mouse', 'actions': moves}]})

    def wheel(self, css, by):
        """The wheel turned over the element, where the mouse is or not."""
        turn = {'type': 'scroll', 'x': 0, 'y': 0, 'deltaX': 0, 'deltaY': by, 'duration': 0,
                'origin': {ELEMENT: self.find(css)}}
        self.call('POST', self.session + '/actions', {'actions': [
            {'type': 'wheel', 'id': 'wheel', 'actions': [turn]}]})

    def press(self, key):
        """A key to whatever has the focus; the mouse stays where it is."""
        self.call('POST', self.session + '/actions', {'actions': [
            {'type': 'key', 'id': 'keys', 'actions': [{'type': 'keyDown', 'value': key},
                                                      {'type': 'keyUp', 'value': key}]}]})

    def pdf(self, path, **how):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('POST', self.session + '/print', how)))

    def screenshot(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('GET', self.session + '/screenshot')))

    def complaints(self):
        """What the browser wrote to its console."""
        return [e['message'] for e in self.call('POST', self.session + '/se/log',
                                                {'type': 'browser'})]

    def requests(self):
        """Addresses that were asked for."""
        events = self.call('POST', self.session + '/se/log', {'type': 'performance'})
        messages = [json.loads(e['message'])['message'] for e in events]
        return [m['params']['request']['url'] for m in messages
                if m['method'] == 'Network.requestWillBeSent']


class Browsers:
    """Browsers for JOBS jobs, on any threads: each is started when none is idle, and used again."""

    def __init__(self, jobs, whole):
        self.idle, self.left, self.whole = [], jobs, whole

    @contextlib.contextmanager
    def job(self):
        """The last job that ends closes them."""
        try:
            browser = self.idle.pop()
        except IndexError:
            browser = Browser(self.whole)
        try:
            yield browser
            browser.complaints()        # what it said is not the next one's
            browser.requests()
            self.idle.append(browser)
        except BaseException:
            browser.close()
            raise
        finally:
            self.left -= 1
            while not self.left and self.idle:
                self.idle.pop().close()
