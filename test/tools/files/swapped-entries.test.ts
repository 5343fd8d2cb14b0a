// Tests that an entry which another program replaces again and again, by a link, a file, a folder or nothing, is never a fault of the
// server: each call has a result, or an error that says what it found.
// tier: full
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { type Json, startApp, toApproval } from '../../start-app.ts'

const ROUNDS = 40

/** A program that replaces `x` without end. */
const SWAP = `
const fs = require('node:fs')
const put = {
  file: at => fs.writeFileSync(at, 'plain\\n'),
  link: at => fs.symlinkSync('file.txt', at),
  folderLink: at => fs.symlinkSync('other', at),
  folder: at => fs.mkdirSync(at)
}
process.send('begun')
let i = 0
setInterval(() => {
  const names = Object.keys(put)
  try {
    put[names[i % names.length]]('next')
    fs.rmSync('x', { recursive: true, force: true })
    fs.renameSync('next', 'x')
  } catch {
    fs.rmSync('next', { recursive: true, force: true })
  }
  if (++i % 9 === 0) fs.rmSync('x', { recursive: true, force: true })
}, 1)`

const CALLS: readonly ((round: number) => { tool: string; params: object })[] = [
  () => ({ tool: 'delete_file', params: { path: 'x' } }),
  round => ({ tool: 'move_file', params: { from: 'x', to: `moved-${round}` } }),
  () => ({ tool: 'move_file', params: { from: 'file.txt', to: 'x', overwrite: true } }),
  round => ({ tool: 'copy_file', params: { source: 'x', dest: `copy-${round}`, recursive: true } }),
  () => ({ tool: 'copy_file', params: { source: 'other', dest: 'x', overwrite: true, recursive: true } }),
  () => ({ tool: 'write_file', params: { path: 'x', content: 'written\n' } }),
  () => ({ tool: 'edit_file', params: { path: 'x', old: 'plain', new: 'edited' } }),
  () => ({ tool: 'create_directory', params: { path: 'x/y' } }),
  () => ({ tool: 'list_directory', params: { path: 'x' } }),
  () => ({ tool: 'read_file', params: { path: 'x' } })
]

t.test('calls on an entry that is replaced all the time end with a result or a clear error', async t => {
  const app = await startApp(t, { 'file.txt': 'file\n', 'other/in.txt': 'other\n' })
  const program = spawn(process.execPath, ['-e', SWAP], {
    cwd: app.root,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  })
  t.teardown(async () => {
    program.kill('SIGKILL')
    await once(program, 'exit')
  })
  await once(program, 'message')
  const run = async (request: { tool: string; params: object }): Promise<Json> => {
    const call = await app.call(request.tool, request.params)
    if (call.status !== 'awaiting_approval') return call
    const { status, body } = await app.request('POST', '/approve', { ...toApproval(call), confirm: true })
    if (status !== 200) return body
    // It may wait for a decision again, as what it found has changed.
    let now = body
    while (now.status === 'queued' || now.status === 'running')
      now = await app.get(`/calls/${call.tool_call_id}?wait_ms=1000`)
    return now
  }
  const faults: Json[] = []
  let answered = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const ended = await Promise.all(CALLS.map(make => run(make(round))))
    answered += ended.length
    faults.push(...ended.filter(({ code, error }) => (error?.code ?? code) === 'INTERNAL'))
    app.write('file.txt', 'file\n')
  }
  t.equal(answered, ROUNDS * CALLS.length)
  t.same(faults, [])
})
