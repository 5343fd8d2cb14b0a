// Tests of the pipes between commands and the server, in a workspace that contains the system's temporary folder.
// tier: quick
import path from 'node:path'
import t from 'tap'
import { connectWithCurl } from '../../acceptance/fixture.ts'
import { createProject } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'

t.test("no command sees another's pipe", needs('bwrap'), async t => {
  const at = createProject(t, { 'tmp/a.txt': '' })
  const server = await at.serveIn({ TMPDIR: path.join(at.project, 'tmp') })
  const { call, post } = connectWithCurl(server)
  const { body: asked } = await call('shell_exec', { command: `find . -type p; find ${at.home} -type p; echo done` })
  const { digest } = asked.approval
  const { body } = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(body, { status: 'success' }, JSON.stringify(body))
  t.match(body.result.data, { isolation: 'workspace' })
  t.notMatch(body.result.data.stdout, /pipes/)
  t.match(body.result.data.stdout, /done\n$/)
})
