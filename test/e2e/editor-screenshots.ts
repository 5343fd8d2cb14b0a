// Takes the screenshots of the editors in docs/images: an edit that waits for approval, with a real server.
import { AnsiUp } from 'ansi_up'
import type { Test } from 'tap'
import { serveProject } from '../cli/toolgate.ts'
import { launchWholeChromium } from './chromium.ts'
import { startEmacs } from './emacs/emacs.ts'
import { NEOVIM_FLAGS, PLUGIN } from './neovim/neovim.ts'
import { openTerminal, type TmuxTerminal } from './terminal.ts'

const GREETING = `export function greet(name) {
  return 'Hello ' + name
}
`
const EMACS_SIZE = { columns: 92, lines: 46 }
const NEOVIM_SIZE = { columns: 92, lines: 34 }
const EMACS_SETTINGS = ['(menu-bar-mode -1)', '(load-theme (quote tango-dark) t)']

/** The built-in color schemes of older versions highlight diffs without the usual green and red. */
const NEOVIM_COLORS =
  'syntax on | colorscheme slate | hi DiffAdd ctermfg=NONE ctermbg=22 | hi DiffDelete ctermfg=NONE ctermbg=52'

type Served = Awaited<ReturnType<typeof serveProject>>

const openNeovim = ({ home, project }: Served) =>
  openTerminal(
    [
      ...[
        'nvim',
        ...NEOVIM_FLAGS,
        '--cmd',
        `cd ${project}`,
        '--cmd',
        `set rtp^=${PLUGIN} laststatus=2 background=dark`
      ],
      ...['-c', NEOVIM_COLORS, '-c', "lua require('toolgate').setup()", `${project}/greet.js`]
    ],
    { HOME: home, PATH: process.env.PATH ?? '' },
    NEOVIM_SIZE
  )

const EDITORS = {
  emacs: {
    open: (place: Served) => startEmacs(place, 'greet.js', EMACS_SETTINGS, EMACS_SIZE),
    asks: /1 pending[\s\S]*'Hello, '/
  },
  neovim: { open: openNeovim, asks: /'Hello, '[\s\S]*Toolgate {2}1 of 1/ }
}

const undo: (() => unknown)[] = []
const browser = await launchWholeChromium()
try {
  for (const [name, { open, asks }] of Object.entries(EDITORS)) {
    const test = { teardown: (done: () => unknown) => undo.push(done) } as unknown as Test
    const place = await serveProject(test, { 'greet.js': GREETING })
    const editor: TmuxTerminal = await open(place)
    undo.push(() => editor.close())
    await editor.waitForScreen(/return/)
    await place.client.call('edit_file', { path: 'greet.js', old: "'Hello ' + name", new: "'Hello, ' + name + '!'" })
    await editor.waitForScreen(asks)
    await drawScreen(
      (await editor.coloredScreen()).replaceAll(place.project, '~/greeting'),
      `docs/images/${name}-approval.png`
    )
  }
} finally {
  await browser.close()
  for (const done of undo.reverse()) await done()
}

/** Draws a terminal screen to a PNG file. */
async function drawScreen(screen: string, file: string) {
  const page = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 900, height: 700 } })
  const lines = new AnsiUp().ansi_to_html(screen)
  await page.setContent(
    `<pre style="display:inline-block;margin:0;padding:12px;background:#262626;color:#e6e6e6;font:14px/18px 'DejaVu Sans Mono',monospace">${lines}</pre>`
  )
  await page.locator('pre').screenshot({ path: file })
  await page.close()
}
