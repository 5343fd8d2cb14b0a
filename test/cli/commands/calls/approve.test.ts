// Tests of decisions at a real terminal.
// tier: full
// run: waiting (for a terminal)
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { runInPty } from '../../pty.ts'
import { CALL_ID_PATTERN, normalizeOutput, servedIn, UNSANDBOXED } from '../../toolgate.ts'

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')
const { client, commandOf, project, folder, toolgate } = await servedIn(t, UNSANDBOXED, {
  'a.txt': 'one\n',
  'long.txt': lines(300)
})
const BELL = new RegExp(String.fromCharCode(7))
const READY = /\? \[y yes.*\] $/m
const PAGE = /-- line \d+ of \d+ -- \[space next page · n no.*\] $/m

const edit = { path: 'a.txt', old: 'one', new: 'two' }
async function waits(tool = 'edit_file', params: Record<string, unknown> = edit) {
  const call = await client.call(tool, params)
  if (call.status !== 'awaiting_approval') throw new Error(JSON.stringify(call))
  return call.tool_call_id
}
const statusOf = async (id: string) => (await client.get(id)).status
const write = (name: string, text: string) => writeFileSync(path.join(project, name), text)
const read = (name: string) => readFileSync(path.join(project, name), 'utf8')

t.test('at a terminal', needs('node-pty'), async t => {
  const decide = (argv: string[], more: Record<string, string> = {}) =>
    runInPty(t, commandOf(['approve', ...argv], { LESS: 'RX', ...more }))

  t.test('shows everything in colour; y approves what was shown', async t => {
    write('a.txt', 'one\n')
    const id = await waits()
    const person = await decide([id])
    const shown = await person.sees(READY)
    t.match(
      shown,
      /^Edit a\.txt {2}tc_.*\n {2}tool {5}edit_file {2}\(ask\)\n.*\n {2}expires {2}(?:[\d-]+ )?\d\d:\d\d \(in (?:24 h|23 h 59 min)\)\n.*\n-one\n\+two\n/s
    )
    t.match(person.raw(), '\u001b[32m+two\u001b[39m')
    person.press('y')
    t.same(normalizeOutput((await person.ended()).rest), 'y\nID approved\n')
    t.equal((await client.get(id, { wait_ms: 120_000 })).status, 'success')
    t.equal(read('a.txt'), 'two\n')
  })

  t.test('early, pasted, RET and SPC input decides nothing', async t => {
    write('a.txt', 'one\n')
    const id = await waits()
    const person = await decide([id])
    await person.sees(/\+two\n/)
    person.press('y')
    await person.sees(READY)
    person.press('yes\r')
    t.match(
      await person.sees(READY),
      /\nThe input was ignored, because several characters came at once\. Press a single key\.\n/
    )
    for (const keys of ['\r', ' ', '\u001b[A', 'Y', '\u001b[200~y\u001b[201~']) {
      person.press(keys)
      await person.sees(BELL)
    }
    person.press('?')
    const help = await person.sees(READY)
    t.match(help, /^\?\n {2}y {2}approve exactly what is shown\n {2}n {2}reject the call\n/)
    // The terminal got the focus: a click into it is no decision, nor is input right after it.
    person.press('\u001b[I')
    person.press('y')
    await person.sees(BELL)
    t.equal(await statusOf(id), 'awaiting_approval')
    person.press('\u0003')
    t.match(await person.ended(), { code: 130 })
    t.equal(await statusOf(id), 'awaiting_approval')
    await client.cancel(id)
  })

  t.test('r rejects with a reason; n without; one after the other', async t => {
    write('a.txt', 'one\n')
    const [first, second] = [await waits(), await waits()]
    const person = await decide([])
    t.match(await person.sees(READY), /^\n1 of 2\n/)
    person.press('r')
    await person.sees(/Reason .* $/)
    person.press('not there\r')
    t.match(normalizeOutput(await person.sees(READY)), /ID rejected\n\n2 of 2\n/)
    person.press('n')
    t.match(normalizeOutput((await person.ended()).rest), /^n\nID rejected\n/)
    t.match(await client.get(first), { status: 'rejected', reason: 'not there' })
    t.match(await client.get(second), { status: 'rejected' })
  })

  t.test('e edits the params and previews them before the approval', async t => {
    write('a.txt', 'one\n')
    const id = await waits()
    const editor = path.join(folder, 'editor.sh')
    writeFileSync(editor, 'grep -q broken "$1" && sed -i s/broken/four/ "$1" || sed -i \'s/"two"/"broken/\' "$1"\n')
    const person = await decide([id], { EDITOR: `sh ${editor}` })
    await person.sees(READY)
    person.press('e')
    t.match(await person.sees(READY), /Not a JSON object/)
    writeFileSync(editor, 'sed -i \'s/"broken/"four"/\' "$1"\n')
    person.press('e')
    t.match(await person.sees(READY), /With your changes: Edit a\.txt\n {2}verdict {2}ask: .*\n-one\n\+four\n/s)
    t.equal(await statusOf(id), 'awaiting_approval')
    write('a.txt', 'zero\none\n')
    person.press('y')
    t.match(await person.sees(READY), /The preview has changed:\n.* zero\n-one\n\+four\n/s)
    t.equal(await statusOf(id), 'awaiting_approval', 'nothing is written that nobody saw')
    person.press('y')
    await person.ended()
    t.match(await client.get(id, { wait_ms: 120_000 }), { status: 'success', requested_params: edit })
    t.equal(read('a.txt'), 'zero\nfour\n')
  })

  t.test('an edit that makes the call strict requires a typed word', async t => {
    const id = await waits('write_file', { path: 'long.txt', content: 'x' })
    const editor = path.join(folder, 'strict.sh')
    writeFileSync(editor, 'sed -i s/long.txt/.envrc/ "$1"\n')
    const person = await decide([id], { EDITOR: `sh ${editor}` })
    await person.sees(PAGE)
    person.press('e')
    t.match(await person.sees(READY), /verdict {2}strict: /)
    person.press('y')
    await person.sees(/type yes to approve \(.*\): $/)
    person.press('yes\r')
    t.match(normalizeOutput((await person.ended()).rest), /ID approved\n$/)
    t.match(await client.get(id, { wait_ms: 120_000 }), { status: 'success', params: { path: '.envrc' } })
  })

  t.test('a saves the shown rule', async t => {
    const id = await waits('shell_exec', { command: 'touch b' })
    const person = await decide([id])
    await person.sees(READY)
    person.press('a')
    t.match(await person.sees(/back\): $/), /\n {2}1 {2}.*\n {5}\{.*"touch b".*\}\n/)
    for (const back of ['\r', '\u001b']) {
      person.press(back)
      await person.sees(READY)
      person.press('a')
      await person.sees(/back\): $/)
    }
    person.press('1\r')
    t.match(await person.ended(), { code: 0 })
    const rules = await client.rules()
    t.match(rules, [{ effect: 'allow', match: { tool: 'shell_exec' } }])
    for (const { rule_id } of rules) await client.revokeRule(rule_id)
  })

  t.test('a strict call requires a typed word', async t => {
    write('gone.txt', 'x\n')
    const id = await waits('delete_file', { path: 'gone.txt' })
    const person = await decide([id])
    await person.sees(READY)
    person.press('y')
    await person.sees(/type yes to approve \(.*\): $/)
    person.press('y\r')
    await person.sees(READY)
    t.equal(await statusOf(id), 'awaiting_approval')
    person.press('y')
    await person.sees(/type yes to approve \(.*\): $/)
    person.press('yes\r')
    t.match(normalizeOutput((await person.ended()).rest), /ID approved\n$/)
  })

  t.test('a preview longer than the screen is shown page by page, and approved after the last one', async t => {
    write('long.txt', lines(300))
    const id = await waits('write_file', { path: 'long.txt', content: 'short\n' })
    const person = await decide([id])
    let shown = await person.sees(PAGE)
    t.notMatch(shown, '-line 300')
    for (const key of ['y', 'a']) {
      person.press(key)
      await person.sees(BELL)
    }
    // The pager shows everything, but not what of it was on the screen.
    person.press('d')
    await person.sees(/:$/)
    person.press('G')
    await person.sees(/\(END\)$/)
    person.press('q')
    await person.sees(PAGE)
    t.equal(await statusOf(id), 'awaiting_approval')
    while (!READY.test(shown)) {
      person.press(' ')
      shown += await person.sees(/\[(?:space|y).*\] $/m)
    }
    for (let line = 1; line <= 300; line += 1) t.match(shown, `-line ${line}\n`)
    person.press('y')
    t.match(normalizeOutput((await person.ended()).rest), /ID approved\n$/)
    t.equal((await client.get(id, { wait_ms: 120_000 })).status, 'success')
  })

  t.test('a long param that the diff shows is not repeated', async t => {
    write('long.txt', 'short\n')
    const id = await waits('write_file', { path: 'long.txt', content: lines(300) })
    const person = await decide([id])
    t.match(
      await person.sees(PAGE),
      /^ {2}params {3}\{"path":"long\.txt"\}\n {2}in diff {2}content \(2,894 characters\)$/m
    )
    person.press('n')
    await person.ended()
  })

  t.test('a preview that is cut in the call is shown whole', async t => {
    write('big.sh', `${lines(6_000).replaceAll('line', ': line')}: the end\n`)
    const id = await waits('shell_exec', { command: 'sh big.sh' })
    const person = await decide([id])
    let shown = await person.sees(PAGE)
    while (!READY.test(shown)) {
      person.press(' ')
      shown += await person.sees(/\[(?:space|y).*\] $/m)
    }
    t.match(shown, ': line 6000\n    : the end\n')
    // What is cut in the call is the same: the rest is not.
    write('big.sh', `${lines(6_000).replaceAll('line', ': line')}: another end\n`)
    shown = await person.sees(PAGE)
    t.match(shown, '\nThe preview has changed:\n')
    while (!READY.test(shown)) {
      person.press(' ')
      shown += await person.sees(/\[(?:space|y).*\] $/m)
    }
    t.match(shown, ': another end\n')
    person.press('y')
    t.match(normalizeOutput((await person.ended()).rest), /ID approved\n$/)
  })

  t.test('refreshes a changed preview by itself, and approves the new one', async t => {
    write('a.txt', 'one\n')
    const id = await waits()
    const person = await decide([id])
    await person.sees(READY)
    write('a.txt', 'zero\none\n')
    t.match(await person.sees(READY), /The preview has changed:\n.* zero\n-one\n\+two\n/s)
    write('a.txt', 'nothing of it\n')
    t.match(await person.sees(READY), /The call would fail now: .*a\.txt/)
    const far = `zero\none\n${'line\n'.repeat(9)}`
    write('a.txt', far)
    t.match(await person.sees(READY), /The preview has changed:\n.* zero\n-one\n\+two\n line\n/s)
    write('a.txt', `${far}end\n`)
    t.match(await person.sees(READY), /^\s+Files have changed, but the preview is still the same\.\n[^\n]+$/)
    person.press('y')
    t.same(normalizeOutput((await person.ended()).rest), 'y\nID approved\n')
    t.equal((await client.get(id, { wait_ms: 120_000 })).status, 'success')
    t.equal(read('a.txt'), `${far.replace('one', 'two')}end\n`)
  })

  t.test('a decision elsewhere ends the prompt; changes refresh it', async t => {
    write('a.txt', 'one\n')
    const id = await waits()
    const person = await decide([id])
    await person.sees(READY)
    write('a.txt', 'zero\none\n')
    person.press('y')
    t.match(await person.sees(READY), /The preview has changed:\n.* zero\n-one\n\+two\n/s)
    t.match(
      (await toolgate(['reject', id, '--comment', 'a.txt: no line'])).stderr,
      /Write the path, the line and the text/
    )
    await toolgate(['reject', id, '-m', 'no', '--comment', 'a.txt:2: Keep it', '--comment', 'a.txt:1:And this'])
    t.match((await client.get(id)) as object, {
      comments: [
        { path: 'a.txt', line: 2, text: 'Keep it' },
        { path: 'a.txt', line: 1, text: 'And this' }
      ]
    })
    const { code, rest } = await person.ended()
    t.equal(code, 6)
    t.match(normalizeOutput(rest), /it was rejected by USER \(toolgate-cli\) at TIME\n$/)
  })

  t.test('an interrupt decides nothing and restores the terminal', async t => {
    write('a.txt', 'one\n')
    const id = await waits()
    const person = await decide([id])
    await person.sees(READY)
    person.press('\u0003')
    const { code } = await person.ended()
    t.equal(code, 130)
    t.ok(person.raw().lastIndexOf('\u001b[?1004l') > person.raw().lastIndexOf('\u001b[?1004h'))
    t.equal(await statusOf(id), 'awaiting_approval')
    await client.cancel(id)
  })
})

t.test('without a terminal, requires a digest or --yes', async t => {
  write('a.txt', 'one\n')
  const id = await waits()
  t.same(await toolgate(['approve', id]), {
    code: 2,
    stdout: '',
    stderr:
      'toolgate: Cannot prompt: standard input is not a terminal. Use --digest with the digest of the preview, or --yes.\n'
  })
  t.match(await toolgate(['approve', '--yes']), { code: 2, stderr: /The ids of the calls are missing/ })
  t.match(await toolgate(['approve', id, '--yes', '--params', JSON.stringify({ ...edit, new: 'six' })]), {
    code: 0,
    stdout: CALL_ID_PATTERN,
    stderr: /\nWith your changes: Edit a\.txt\n {2}verdict {2}ask: .*\n-one\n\+six\n$/s
  })
  t.equal((await client.get(id, { wait_ms: 120_000 })).status, 'success')
  t.equal(read('a.txt'), 'six\n')

  const byClient = { ...edit, old: 'six' }
  const { tool_call_id } = await client.call('edit_file', byClient, { executor: 'client' })
  const changed = { ...byClient, new: 'seven' }
  t.match(await toolgate(['approve', tool_call_id, '--yes', '--params', JSON.stringify(changed)]), { code: 0 })
  t.match(await client.get(tool_call_id, { wait_ms: 120_000 }), { status: 'success', params: changed })
  t.equal(read('a.txt'), 'six\n', 'the client executes it')
})
