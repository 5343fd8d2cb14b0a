import { createInterface } from 'node:readline'
import t from 'tap'
import { serveProject } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'

t.test('shows the state of language servers', needs('sandbox', 'tsc'), async t => {
  const { toolgate, start, client } = await serveProject(t, { 'a.ts': 'export const no: number = "x"\n' })
  t.notMatch(await toolgate(['status']), { stdout: /language/ })
  const following = start(['tail', '--since', '0', '--type', 'diagnostics.changed'])
  const lines = createInterface({ input: following.stdout })[Symbol.asyncIterator]()
  const found = await client.call('diagnostics', { path: 'a.ts' })
  t.equal(found.status, 'success')
  await lines.next()
  t.match((await lines.next()).value, /diagnostics\.changed +typescript: a\.ts errors 1 warnings 0$/)
  following.kill()
  t.match(await toolgate(['status']), { code: 0, stdout: / {2}language typescript for \.: ready, \d+ MiB\n$/ })
  t.match(JSON.parse((await toolgate(['status', '--json'])).stdout), {
    language_servers: [{ server: 'typescript', state: 'ready' }]
  })
})
