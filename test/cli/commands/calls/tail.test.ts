// tier: full
import { createInterface } from 'node:readline'
import t from 'tap'
import { once, within } from '../../../support/wait.ts'
import { normalizeOutput, serveProject } from '../../toolgate.ts'

t.test('tail follows through a restart of the server', async t => {
  const { begin, start, toolgate, serve, server } = await serveProject(t)
  await toolgate(['call', 'read_file', 'path=a.txt'])
  const tail = start(['tail', '--since', '0', '--type', 'tool.call,tool.result'])
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]()
  const next = async () => normalizeOutput(String((await lines.next()).value))
  t.same(await next(), 'TIME stream.snapshot at 2, 0 waiting, 0 running')
  t.same(
    [await next(), await next()],
    ['TIME tool.call ID read_file {"path":"a.txt"}', 'TIME tool.result ID read_file success in N ms']
  )
  server.process.kill('SIGKILL')
  await server.ended
  const second = await serve()
  t.equal(second.url, server.url)
  await toolgate(['call', 'list_directory', 'path=.'])
  t.match(await next(), /^TIME stream\.snapshot at \d+/)
  t.same(
    [await next(), await next()],
    ['TIME tool.call ID list_directory {"path":"."}', 'TIME tool.result ID list_directory success in N ms']
  )
  tail.kill('SIGINT')
  const [code] = await once(tail, 'exit')
  t.equal(code, 130)
  t.match(await toolgate(['tail', '--type', 'nope']), { code: 2, stderr: /There is no event type "nope"/ })
  t.match(await toolgate(['tail', '--since', 'x']), {
    code: 2,
    stderr: 'toolgate: Invalid --since: expected the sequence number of an event.\n'
  })
  const types = ['stream.snapshot', 'tool.call', 'tool.result']
  const json = begin(['tail', '--since', '0', '--json'])
  const events = createInterface({ input: json.stdout })[Symbol.asyncIterator]()
  for (const type of types) t.equal(JSON.parse(String((await events.next()).value)).type, type)
  json.interrupt()
  t.equal(await within('it to end', json.ended), 130)
  const limited = await toolgate(['tail', '--since', '0', '--json', '--timeout', '1s'])
  t.equal(limited.code, 124)
  t.match(limited.stdout, /^(?:.+\n)*$/, 'it ends with a whole line')
  const printed = limited.stdout.split('\n').slice(0, -1)
  // The limit may pass before the server has answered: then it has printed less.
  const first = printed.map(line => JSON.parse(line).type).slice(0, types.length)
  t.same(first, types.slice(0, printed.length))
})
