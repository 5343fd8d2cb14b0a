// Tests that an approval covers the files that words of a command make its program execute, whichever program that is.
// tier: full
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'

const NAMES = 'x y x.so x.patch x.deb x.conf x.c sub/x bin/ls bin/cmd a.txt b.txt'.split(' ')
const GOOD = 'echo good\n'
const FILES = Object.fromEntries(NAMES.map(name => [name, GOOD]))
const lines = (name: string) =>
  readFileSync(`test/corpus/shell/${name}.txt`, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('# '))

async function start(t: Test) {
  const app = await startApp(t, { ...FILES, 'a.tar': Buffer.from('\x1f\x8b\0\0').toString('latin1') })
  const agent = async (command: string): Promise<Json> =>
    (
      await app.request(
        'POST',
        '/calls',
        { tool: 'shell_exec', params: { command } },
        { authorization: `Bearer ${CALL_TOKEN}` }
      )
    ).body
  const approve = ({ tool_call_id, approval }: Json) =>
    app.request('POST', `/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })
  const deny = ({ tool_call_id }: Json) => app.post(`/calls/${tool_call_id}/reject`, {})
  return { ...app, agent, approve, deny }
}

t.test('a line is shown with the files that it executes, and is shown again when they change', async t => {
  const { agent, approve, deny, write } = await start(t)
  for (const entry of lines('named-files')) {
    const [line = '', file = 'x'] = entry.split('\t')
    const asked = await agent(line)
    t.equal(asked.status, 'awaiting_approval', line)
    t.match(asked.approval.preview.text, `Executes ${file}:\n    echo good`, line)
    write(file, 'echo evil\n')
    t.match(await approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } }, line)
    await deny(asked)
    write(file, GOOD)
  }
})

t.test('data is not shown as what is executed', async t => {
  const { agent, deny } = await start(t)
  for (const line of lines('named-data')) {
    const asked = await agent(line)
    if (asked.status !== 'awaiting_approval') continue
    t.notMatch(asked.approval.preview.text, /^Executes /m, line)
    t.notMatch(asked.approval.reason, /executes/, line)
    await deny(asked)
  }
})

t.test('a program that the line itself makes needs strict approval, and so each time', async t => {
  const { agent, approve } = await start(t)
  const reason = 'Executes "./b", which does not exist yet: another part of the command line may create it.'
  const asked = await agent('cp x b; sh ./b')
  t.match(asked.approval, { level: 'strict', reason, always_options: [] })
  t.ok(asked.approval.preview.notes.includes(reason))
  t.match((await approve(asked)).body, { status: 'success', result: { data: { stdout: 'good\n' } } })
  const changed = 'Executes "b", which the command line itself changes.'
  t.match((await agent('cp x b; sh ./b')).approval, { level: 'strict', reason: changed })
  t.match((await agent('cp x b; sh ./b')).approval, { level: 'strict', reason: changed })
})

t.test('a program that appears after it was shown to be missing is shown first', async t => {
  const { agent, approve, write, root } = await start(t)
  for (const line of ['sh ./b', 'tar -I ./b -cf c.tar a.txt', 'PATH=./bin zz']) {
    const asked = await agent(line)
    write('b', GOOD)
    write('bin/zz', GOOD)
    t.match(await approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } }, line)
    for (const name of ['b', 'bin/zz']) rmSync(path.join(root, name))
  }
})
