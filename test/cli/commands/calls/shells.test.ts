// tier: full
import t from 'tap'
import { servedIn, UNSANDBOXED } from '../../toolgate.ts'

t.test('shells: listed, reset', async t => {
  const { toolgate } = await servedIn(t, UNSANDBOXED)
  const call = ['call', 'shell_exec', 'command=mkdir sub; cd sub; export A=1 B=2', 'shell=dev', '--no-wait']
  const id = (await toolgate(call)).stdout.trim()
  t.match(await toolgate(['approve', id, '--yes']), { code: 0 })
  t.match((await toolgate(['api', `/calls/${id}?wait_ms=120000`])).stdout, '"status":"success"')
  const listed = { code: 0, stdout: /^SHELL +TOKEN +FOLDER +VARIABLES *\ndev +sub +A B *\n$/, stderr: '' }
  t.match(await toolgate(['shells']), listed)
  const { stdout } = await toolgate(['--json', 'shells'])
  t.match(JSON.parse(stdout), { shells: [{ name: 'dev', cwd: 'sub', variables: ['A', 'B'] }] })
  t.match(await toolgate(['shells', '--reset', 'other']), { code: 1, stderr: /has no shell with the name other/ })
  t.same(await toolgate(['shells', '--reset', 'dev']), {
    code: 0,
    stdout: '',
    stderr: 'The session default has no shells.\n'
  })
})
