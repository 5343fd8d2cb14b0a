// Records an approval in Emacs as text, from a real run: node test/e2e/emacs/record.ts
import { writeFileSync } from 'node:fs'
import type { Test } from 'tap'
import { serveProject } from '../../cli/toolgate.ts'
import { startEmacs } from './emacs.ts'

const GREETING = `export function greet(name) {
  return 'Hello ' + name
}
`

const undo: (() => unknown)[] = []
const place = await serveProject({ teardown: (done: () => unknown) => undo.push(done) } as unknown as Test, {
  'greet.js': GREETING
})
const emacs = await startEmacs(place, 'greet.js', ['(menu-bar-mode -1)', '(setq toolgate-key-guard-seconds 0)'], {
  columns: 88,
  lines: 50
})
try {
  await emacs.waitForScreen(/return/)
  await place.client.call('edit_file', { path: 'greet.js', old: "'Hello ' + name", new: "'Hello, ' + name + '!'" })
  const asked = await emacs.waitForScreen(/1 pending[\s\S]*Diff/)
  await emacs.press('C-x', 'o')
  await emacs.press('Space', 'y')
  const decided = await emacs.waitForScreen(
    screen => /^modified +greet/m.test(screen) && /^ *return 'Hello, '/m.test(screen)
  )
  writeFileSync(
    new URL('../../../docs/emacs-approval.txt', import.meta.url),
    `An agent edits a file that is open in Emacs. Nobody types, so the prompt appears beside it:

${frameScreen(asked)}

In the prompt, y approves just that; the outcome takes its place, and the file is as it was shown:

${frameScreen(decided)}
`
  )
} finally {
  await emacs.close()
  for (const done of undo.reverse()) await done()
}

/** Returns the screen in a frame, with empty lines collapsed. */
function frameScreen(screen: string): string {
  const lines = screen.replace(/\n{4,}/g, '\n\n\n').split('\n')
  const width = Math.max(...lines.map(line => line.length))
  const edge = '─'.repeat(width + 2)
  return [`┌${edge}┐`, ...lines.map(line => `│ ${line.padEnd(width)} │`), `└${edge}┘`].join('\n')
}
