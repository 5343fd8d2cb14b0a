// Tests that what a running command executes is not changed without approval: a shell reads a script only when it comes to it.
// tier: quick
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

const EVIL = 'echo evil\n'
/** Waits until the file `go` exists, at most five minutes. */
const WAIT = 'for i in $(seq 6000); do [ -e go ] && break; sleep 0.05; done'

for (const tool of ['shell_exec', 'shell_background'])
  t.test(`${tool}: a script that comes later is what was shown`, async t => {
    const rules = ['write_file', 'edit_file', 'move_file'].map(tool => ({ effect: 'allow', match: { tool } }) as const)
    const settings = { tiers: { administrator: [], user: rules, workspace: [] } }
    const app = await startApp(t, { 'other.sh': EVIL, 'a.txt': 'a\n' }, { settings })
    const exists = (name: string) => existsSync(path.join(app.root, name))
    const agent = (tool: string, params: object): Promise<Json> => app.callAs(CALL_TOKEN, tool, params)
    t.match(await agent('write_file', { path: 'sub/s.sh', content: 'echo good\n' }), { status: 'success' })
    const asked = await agent(tool, { command: `echo begun > begun; ${WAIT}; sh sub/s.sh > out` })
    t.match(asked.approval.preview.text, 'Executes sub/s.sh:\n    echo good')
    const decision = { digest: asked.approval.digest, confirm: true }
    await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=0`, decision)
    await waitUntil('the command to run', () => exists('begun'))
    const steps = [
      ['move_file', { from: 'sub/s.sh', to: 'x.bak' }],
      ['move_file', { from: 'sub', to: 'old' }],
      ['write_file', { path: 'sub/s.sh', content: EVIL }],
      ['edit_file', { path: 'sub/s.sh', old: 'good', new: 'evil' }],
      ['move_file', { from: 'other.sh', to: 'sub/s.sh', overwrite: true }]
    ] as const
    for (const [name, params] of steps) {
      const { status, approval, error } = await agent(name, params)
      t.equal(status, 'awaiting_approval', JSON.stringify(error))
      t.match(
        approval.reason,
        /^A command that is still running \(tc_\w+\) executes sub\/s.sh and may read the file again/
      )
    }
    t.match(await agent('edit_file', { path: 'a.txt', old: 'a', new: 'b' }), { status: 'success' }, 'others may change')
    app.write('go', '')
    await waitUntil('its output', () => exists('out') && app.read('out') !== '')
    t.equal(app.read('out'), 'good\n')
    await waitUntil('the file to be free', async () => {
      const { status } = await agent('write_file', { path: 'sub/s.sh', content: 'echo new\n' })
      return status === 'success'
    })
  })
