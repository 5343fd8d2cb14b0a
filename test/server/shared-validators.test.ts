// Tests that servers of a process share the validators of routes and of built-in tools.
// tier: quick
import { Ajv } from 'ajv'
import t from 'tap'
import { startApp } from '../start-app.ts'

t.test('a second server compiles no schema of a route or of a built-in tool', async t => {
  const compiled = t.capture(Ajv.prototype, 'compile', Ajv.prototype.compile)
  const ask = async () => {
    const app = await startApp(t)
    app.write('a.txt', 'one\n')
    t.match(await app.call('read_file', { path: 'a.txt' }), { status: 'success' })
    t.match(await app.call('read_file', {}), { status: 400, code: 'INVALID_PARAMS' })
    t.match(await app.request('GET', '/calls?limit=none'), { status: 400 })
    t.match(await app.request('GET', '/calls?limit=1'), { status: 200 })
  }
  await ask()
  compiled()
  await ask()
  t.same(
    compiled().map(({ args }) => args[0]),
    []
  )
})
