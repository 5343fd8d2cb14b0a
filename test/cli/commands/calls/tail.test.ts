import { createInterface } from 'node:readline'
import t from 'tap'
import { once } from '../../../support/wait.ts'
import { normalizeOutput, serveProject } from '../../toolgate.ts'

t.test('tail follows through a restart of the server', async t => {
  const { start, toolgate, serve, server } = await serveProject(t)
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
  t.not(second.url, server.url)
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
  const json = await toolgate(['tail', '--since', '0', '--json', '--timeout', '1s'])
  t.equal(json.code, 124)
  t.same(
    json.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).type)
      .slice(0, 3),
    ['stream.snapshot', 'tool.call', 'tool.result']
  )
})
