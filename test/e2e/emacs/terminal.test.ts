// Tests of decisions in a real Emacs in a real terminal, with a real server.
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { serveProject } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'
import { rewriteFiles } from '../rewrite-files.ts'
import { startEmacs } from './emacs.ts'

const POEM = 'roses\nviolets\n'

/** Starts a server with a poem, and Emacs showing it. */
async function reading(t: Test, settings: readonly string[], files: Record<string, string> = {}) {
  const place = await serveProject(t, { 'poem.txt': POEM, ...files })
  const emacs = await startEmacs(place, 'poem.txt', settings)
  t.teardown(() => emacs.close())
  await emacs.waitForScreen(/violets/)
  const edit = async (from: string, to: string) => {
    const call = await place.client.call('edit_file', { path: 'poem.txt', old: from, new: to })
    if (call.status !== 'awaiting_approval') throw new Error(JSON.stringify(call))
    return call
  }
  const poem = () => readFileSync(path.join(place.project, 'poem.txt'), 'utf8')
  const ended = async (id: string) => (await place.client.get(id, { wait_ms: 120_000 })).status
  return { ...place, emacs, edit, poem, ended }
}

/** Moves from the poem to the prompt beside it. */
const TO_PROMPT = ['C-x', 'o'] as const
const ASKS = /1 pending · .*ask[\s\S]*Diff/
/** Shows the rest of a prompt that is longer than its window, and approves. */
const APPROVE = ['Space', 'y'] as const
const OUTCOME = /^status +success$/m
const asksNothing = (screen: string) => !/Agent (?:Approval|Outcome)/.test(screen)

t.test('decisions in Emacs', needs('emacs', 'tmux'), async t => {
  // Typing into the poem must not change the call: the key would not decide then.
  const settings = ['(setq toolgate-key-guard-seconds 0)', '(setq toolgate-share-buffers nil)']
  const { emacs, edit, poem, ended, client, project } = await reading(t, settings)

  await t.test('the prompt takes no keys that are typed elsewhere; y approves in it', async t => {
    const { tool_call_id } = await edit('violets', 'tulips')
    await emacs.waitForScreen(ASKS)
    await emacs.type('yn')
    const screen = await emacs.waitForScreen(/^ynroses$/m)
    t.match(screen, /-violets\n\+tulips/)
    await emacs.press('C-x', 'u')
    await emacs.waitForScreen(/^roses$/m)
    await emacs.press(...TO_PROMPT, ...APPROVE)
    t.equal(await ended(tool_call_id), 'success')
    t.equal(poem(), 'roses\ntulips\n')
    await emacs.waitForScreen(/^status +success\nmodified +poem\.txt\n\nTo preview the undo of this call, press u/m)
    await emacs.press('q')
    await emacs.waitForScreen(asksNothing)
    await emacs.waitForScreen(/^tulips$/m)
  })

  await t.test('n rejects', async t => {
    const { tool_call_id } = await edit('tulips', 'lilies')
    await emacs.waitForScreen(ASKS)
    await emacs.press(...TO_PROMPT, 'n')
    t.equal(await ended(tool_call_id), 'rejected')
    t.equal(poem(), 'roses\ntulips\n')
    await emacs.waitForScreen(asksNothing)
  })

  await t.test('c comments on a line of the diff; n sends the comments', async t => {
    const { tool_call_id } = await edit('tulips', 'lilies')
    await emacs.waitForScreen(ASKS)
    await emacs.press(...TO_PROMPT, 'C-s')
    await emacs.type('tulips')
    await emacs.press('Enter', 'c')
    await emacs.waitForScreen(/Comment on removed line 2:/)
    await emacs.type('Keep these.')
    await emacs.press('Enter')
    await emacs.waitForScreen(/^-tulips\n {2}» Keep these\.\n\+lilies$/m)
    await emacs.waitForScreen(/mode ask · 1 comment · /)
    await emacs.press(...APPROVE)
    await emacs.waitForScreen(/Not approved: 1 comment can only be sent with a rejection/)
    await emacs.press('n')
    t.equal(await ended(tool_call_id), 'rejected')
    t.match(await client.get(tool_call_id), {
      comments: [{ path: 'poem.txt', line: 2, side: 'old', text: 'Keep these.' }]
    })
    await emacs.waitForScreen(asksNothing)
  })

  await t.test('m sets the session mode, which the prompt and the mode line show', async t => {
    const { tool_call_id } = await edit('tulips', 'lilies')
    await emacs.waitForScreen(/1 pending · .*mode ask/)
    await emacs.press(...TO_PROMPT, 'm')
    await emacs.waitForScreen(/Mode of the session default, now ask/)
    await emacs.type('accept')
    await emacs.press('Tab', 'Enter')
    await emacs.waitForScreen(/1 pending · .*mode accept-edits/)
    await emacs.waitForScreen(/TG:1 accept-edits/)
    t.match(await client.modes(), { modes: [{ session_id: 'default', mode: 'accept-edits' }] })
    await client.clearMode('default')
    await emacs.waitForScreen(/1 pending · .*mode ask/)
    await emacs.press('n')
    t.equal(await ended(tool_call_id), 'rejected')
    await emacs.waitForScreen(asksNothing)
  })

  await t.test('e edits the params, previews them, and y approves exactly that', async t => {
    const { tool_call_id } = await edit('tulips', 'lilies')
    await emacs.waitForScreen(ASKS)
    await emacs.press(...TO_PROMPT, 'e')
    await emacs.waitForScreen(/"new": "lilies"/)
    await emacs.press('C-s')
    await emacs.type('lilies')
    await emacs.press('Enter', 'M-BSpace')
    await emacs.type('daisies')
    await emacs.press('C-c', 'C-c')
    await emacs.waitForScreen(/-tulips\n\+daisies/)
    await emacs.press(...APPROVE)
    t.equal(await ended(tool_call_id), 'success')
    t.equal(poem(), 'roses\ndaisies\n')
    await emacs.waitForScreen(OUTCOME)
    await emacs.press('q')
    await emacs.waitForScreen(asksNothing)
  })

  await t.test('a decision elsewhere closes the prompt, and says so', async t => {
    const { tool_call_id } = await edit('daisies', 'asters')
    await emacs.waitForScreen(ASKS)
    await client.reject(tool_call_id, {})
    t.match(await emacs.waitForScreen(asksNothing), /Rejected by .*: Edit poem.txt/)
  })

  await t.test('refreshes a changed preview before any decision', async t => {
    const { tool_call_id } = await edit('daisies', 'asters')
    await emacs.waitForScreen(ASKS)
    appendFileSync(path.join(project, 'poem.txt'), 'weeds\n')
    await emacs.press(...TO_PROMPT, ...APPROVE)
    t.match(await emacs.waitForScreen(/@@ -1,3 \+1,3 @@/), /! The preview has changed since it was first shown/)
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval')
    await emacs.press(...APPROVE)
    t.equal(await ended(tool_call_id), 'success')
    await emacs.waitForScreen(OUTCOME)
    await emacs.press('q')
    await emacs.waitForScreen(asksNothing)
  })

  await t.test('ignores keys for a moment after it appears', async t => {
    const { tool_call_id } = await edit('asters', 'roses')
    await emacs.evaluate('(setq toolgate-key-guard-seconds 1000)')
    await emacs.waitForScreen(ASKS)
    await emacs.press(...TO_PROMPT, 'y')
    await emacs.waitForScreen(/The key was ignored, because this text has just appeared/)
    t.equal((await client.get(tool_call_id)).status, 'awaiting_approval')
    await emacs.evaluate('(setq toolgate-key-guard-seconds 0)')
    await emacs.press(...APPROVE)
    t.equal(await ended(tool_call_id), 'success')
  })
})

t.test('nothing is approved that was not on the screen', needs('emacs', 'tmux'), async t => {
  const { files, patch } = rewriteFiles(40, 38)
  const { emacs, client, ended, project } = await reading(t, ['(setq toolgate-key-guard-seconds 0)'], files)
  const { tool_call_id } = await client.call('apply_patch', { patch })
  await emacs.waitForScreen(ASKS)
  await emacs.press(...TO_PROMPT, 'y')
  const REFUSED = /Not approved: 3\d\d\d lines not displayed yet, next in f0\.txt \(SPC/
  await emacs.waitForScreen(REFUSED)
  for (const keys of [['y'], ['C-c', 'C-c']]) {
    // The next key clears the message. Keys that are typed ahead are discarded.
    await emacs.press('M->')
    await emacs.waitForScreen(screen => !REFUSED.test(screen))
    await emacs.press(...keys)
    await emacs.waitForScreen(REFUSED)
  }
  await emacs.press('C-x', 'o')
  await emacs.waitForScreen(screen => !REFUSED.test(screen))
  await emacs.evaluate('(toolgate-approvals)')
  await emacs.waitForScreen(/Agent Approvals/)
  await emacs.press('C-c', 'C-c')
  await emacs.waitForScreen(/Not decided: review the call in this buffer first/)
  t.equal((await client.get(tool_call_id)).status, 'awaiting_approval')

  await emacs.press('C-x', '1')
  await emacs.press('Space')
  const counts = [linesLeft(await emacs.waitForScreen(screen => linesLeft(screen) > 0))]
  while (counts.at(-1)! > 0) {
    await emacs.press('Space')
    counts.push(linesLeft(await emacs.waitForScreen(screen => linesLeft(screen) < counts.at(-1)!)))
  }
  await emacs.press('y')
  t.equal(await ended(tool_call_id), 'success')
  t.ok(counts.length > 3000 / 40, 'page by page')
  t.match(readFileSync(path.join(project, 'f39.txt'), 'utf8'), /^new 0\n/)
})

t.test(
  'a preview that is cut in the call is shown whole, and approved once it was',
  needs('emacs', 'tmux'),
  async t => {
    const big = { 'big.sh': `${`: ${'x'.repeat(1_000)}\n`.repeat(40)}: the end\n` }
    const { emacs, client, ended } = await reading(t, ['(setq toolgate-key-guard-seconds 0)'], big)
    const { tool_call_id } = await client.call('shell_exec', { command: 'sh big.sh' })
    await emacs.waitForScreen(/1 pending/)
    await emacs.press(...TO_PROMPT, 'C-x', '1')
    await emacs.waitForScreen(/^ *Preview\n[\s\S]*│ sh big\.sh$/m)
    let screen = ''
    for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
      await emacs.press('Space')
      screen = await emacs.waitForScreen(screen => linesLeft(screen) < left)
      left = linesLeft(screen)
    }
    t.match(screen, ': the end')
    await emacs.press('y')
    t.equal(await ended(tool_call_id), 'success')
  }
)

/** Returns how many lines are left to display, by the echo area; NaN where it does not say so. */
const linesLeft = (screen: string) =>
  /^Everything has been displayed$/m.test(screen) ? 0 : Number(/^(\d+) lines? not displayed yet/m.exec(screen)?.[1])

/** Debian's folder of Emacs packages. */
const PACKAGES = '/usr/share/emacs/site-lisp/elpa-src'
const evil = existsSync(PACKAGES) ? readdirSync(PACKAGES).filter(name => /^(evil|goto-chg)-/.test(name)) : []
const EVIL = `(progn (setq load-path (append '(${evil.map(name => `"${PACKAGES}/${name}"`).join(' ')}) load-path))
  (require 'evil) (evil-mode 1))`

t.test('the same keys work under evil', needs('emacs', 'emacs-evil', 'tmux'), async t => {
  const { emacs, edit, ended, poem } = await reading(t, ['(setq toolgate-key-guard-seconds 0)', EVIL])
  const first = await edit('violets', 'tulips')
  await emacs.waitForScreen(ASKS)
  await emacs.press('C-w', 'w', ...APPROVE)
  t.equal(await ended(first.tool_call_id), 'success')
  t.equal(poem(), 'roses\ntulips\n')
  await emacs.waitForScreen(OUTCOME)
  const second = await edit('tulips', 'lilies')
  await emacs.waitForScreen(/1 pending · SPC next call/)
  await emacs.press('Space')
  await emacs.waitForScreen(ASKS)
  await emacs.press('n')
  t.equal(await ended(second.tool_call_id), 'rejected')
})
