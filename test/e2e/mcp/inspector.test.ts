import path from 'node:path'
import t from 'tap'
import { serveProject } from '../../cli/toolgate.ts'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { run } from '../../support/wait.ts'

const INSPECTOR = path.resolve('test/e2e/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

t.test('the Inspector lists and calls, over HTTP and stdio', needs('@modelcontextprotocol/inspector'), async t => {
  const here = await serveProject(t)
  const inspect = async (target: string[], method: string, ...more: string[]) => {
    const argv = [INSPECTOR, '--cli', ...target, '--method', method, ...more]
    const env = { ...process.env, HOME: here.home }
    const { stdout } = await run(process.execPath, argv, { env, cwd: process.cwd() })
    return JSON.parse(stdout)
  }
  const main = [process.execPath, `${process.cwd()}/src/main.ts`, 'mcp', '--root', here.project]
  const http = [`${here.server.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${here.call_token}`]
  for (const target of [http, main]) {
    const { tools } = await inspect(target, 'tools/list')
    t.ok(tools.some(({ name }: Json) => name === 'read_file'))
    const called = await inspect(target, 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=a.txt')
    t.match(called, { structuredContent: { content: 'hello\n' } })
  }
})
