// The package as others get it: packed, installed into an empty folder, type-checked against and run.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { bare } from './bare.ts'
import { startApp, TOKEN } from './start-app.ts'

t.setTimeout(180_000)

interface Packed {
  filename: string
  files: { path: string }[]
}
type Targets = Record<string, Record<string, string>>

const { exports: doors } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Targets }

async function run(program: string, args: string[], options: { cwd: string; env?: Record<string, string> }) {
  const env = { ...process.env, ...options.env }
  return promisify(execFile)(...bare(program, args), { cwd: options.cwd, env, timeout: 120_000, maxBuffer: 16_777_216 })
}

async function packed(t: Test) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-package-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: process.cwd() })
  // By name in newer versions of npm, a list in older ones.
  const [about] = Object.values(JSON.parse(stdout) as Record<string, Packed>)
  return { folder, tarball: path.join(folder, about!.filename), files: about!.files.map(file => file.path) }
}

/** What this machine has of the packages that ours needs is enough; where it has not, the network is asked. */
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional']
const NOT_REACHED = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network/

const CONSUMER = `
import { connect, type Call, ToolgateError } from 'toolgate/client'
import { discover } from 'toolgate/discover'
import { defineHook } from 'toolgate/hook'
import { defineTool, type Static, Type } from 'toolgate/tool'

const input = Type.Object({ text: Type.String() })
const tool = defineTool({
  description: 'Says it louder.',
  input,
  run: ({ text }: Static<typeof input>) => text.toUpperCase()
})
const hook = defineHook({ before: ({ tool }) => (tool === 'x' ? { decision: 'refuse', reason: 'no' } : undefined) })

const { URL, TOKEN } = process.env as { URL: string; TOKEN: string }
const toolgate = connect({ url: URL, token: TOKEN, client: 'consumer' })
const call: Call = await toolgate.call('read_file', { path: 'a.txt' })
const refused = await toolgate.call('none', {}).catch((error: unknown) => error)
console.log(
  JSON.stringify({
    status: call.status,
    content: call.status === 'success' ? call.result.content : undefined,
    refused: refused instanceof ToolgateError && refused.code,
    loud: await tool.run({ text: 'hi' }, undefined as never),
    hook: typeof hook.before,
    found: (await discover({ env: { HOME: '/nowhere' }, project: '.' })) ?? 'none'
  })
)
// @ts-expect-error this is no address
export const wrong = () => connect({ url: 1, token: '' })
`

t.test('it is installed, its types hold, and its program and its modules run', async t => {
  const { folder, tarball, files } = await packed(t)
  for (const [door, targets] of Object.entries(doors))
    for (const target of Object.values(targets))
      t.ok(files.includes(path.posix.normalize(target)), `${door} → ${target}`)
  t.ok(files.includes('examples/agent-loop/agent.ts'))
  t.strictSame(
    files.filter(file => /^(?:src|test|bench|scripts|\.)/.test(file)),
    [],
    'nothing that is only for making it'
  )

  const put = (name: string, content: string | object) =>
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  put('package.json', { name: 'consumer', private: true, type: 'module' })
  try {
    await run('npm', [...INSTALL, tarball], { cwd: folder, env: { npm_config_fetch_retries: '0' } })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    if (process.env.CI || !NOT_REACHED.test(stderr)) throw error
    return t.pass('installed', { skip: 'the registry is not reached, and not all that the package needs is kept here' })
  }

  put('consumer.ts', CONSUMER)
  put('tsconfig.json', {
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [path.resolve('node_modules/@types')]
    },
    include: ['consumer.ts']
  })
  const compiler = path.resolve('node_modules/typescript/bin/tsc')
  const checked = await run(process.execPath, [compiler, '-p', folder], { cwd: folder }).catch(error => error)
  t.equal(checked.stdout, '', 'the types of every door hold')

  const app = await startApp(t, { 'a.txt': 'hello\n' })
  const { stdout } = await run(process.execPath, ['consumer.ts'], { cwd: folder, env: { URL: app.url, TOKEN } })
  t.strictSame(JSON.parse(stdout), {
    status: 'success',
    content: '     1\thello',
    refused: 'UNKNOWN_TOOL',
    loud: 'HI',
    hook: 'function',
    found: 'none'
  })
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  t.match((await run(path.join(folder, 'node_modules/.bin/toolgate'), ['--version'], { cwd: folder })).stdout, version)
})
