// Tests of the declarations of the installed package, with library checking enabled: in Node, and in a project for browsers, which
// knows no types of Node.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { install, NOT_INSTALLED, run } from './packed.ts'

const STRICT = {
  target: 'es2024',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true
}
const BROWSER_PROGRAM = `import { connect, ToolgateError, type Call, type Event } from 'toolgate/client'

const toolgate = connect({ url: location.origin, token: 'secret', client: 'page' })

export async function approveShown(call: Call): Promise<string> {
  if (call.status !== 'awaiting_approval') return call.status
  const { status } = await toolgate.approve(call.tool_call_id, { digest: call.approval.digest, wait_ms: 1_000 })
  return status
}

export async function showEvents(list: HTMLElement, signal: AbortSignal) {
  for await (const event of toolgate.events({ signal })) list.append(describe(event))
}

function describe(event: Event): string {
  if (event.type === 'tool.call') return event.tool
  return event.type === 'tool.result' ? event.status : event.type
}

export async function readLines(path: string): Promise<number> {
  try {
    const call = await toolgate.call('read_file', { path })
    return call.status === 'success' ? (call.result.data.total_lines ?? 0) : 0
  } catch (error) {
    if (error instanceof ToolgateError && error.code === 'FORBIDDEN') return 0
    throw error
  }
}

// @ts-expect-error The project has no types of Node.
process.exit()
`

/** Compiles a project beside the installed package, and returns the errors. */
async function compile(folder: string, files: readonly string[], compilerOptions: object) {
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...STRICT, ...compilerOptions }, files })
  )
  const compiler = path.resolve('node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder], { cwd: folder }).catch(error => error)
  return stdout
}

t.test('the types of every export compile', async t => {
  const folder = await install()
  if (folder === undefined) return t.pass('installed', { skip: NOT_INSTALLED })
  const typeRoots = [path.resolve('node_modules/@types')]
  t.equal(await compile(folder, ['consumer.ts'], { module: 'nodenext', types: ['node'], typeRoots }), '')
})

t.test('the client compiles in a project for browsers', async t => {
  const installed = await install()
  if (installed === undefined) return t.pass('installed', { skip: NOT_INSTALLED })
  const folder = path.join(installed, 'page')
  mkdirSync(folder)
  symlinkSync(path.join(installed, 'node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'page.ts'), BROWSER_PROGRAM)
  const browser = {
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    lib: ['es2024', 'dom', 'dom.asynciterable']
  }
  t.equal(await compile(folder, ['page.ts'], browser), '')
})
