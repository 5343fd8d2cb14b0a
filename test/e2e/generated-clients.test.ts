// Tests of clients that common generators, and ours for Python, make of openapi.yaml: programs with them pass the compiler, make and
// approve a call, and read events.
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import t, { type Test } from 'tap'
import { startApp, TOKEN } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { CLIENT, python } from './python/python.ts'

const E2E = import.meta.dirname
const OPENAPI = path.resolve('openapi.yaml')
const COMPILER_OPTIONS = {
  strict: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['esnext', 'dom', 'dom.asynciterable'],
  types: ['node'],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true
}

/** Runs a program of the end-to-end tests, such as a generator. */
const run = (program: string, args: readonly string[], cwd: string) =>
  execa(process.execPath, [path.join(E2E, 'node_modules', program), ...args], { cwd, all: true })

/** Compiles a program beside its generated client, runs it with a server on which a call waits for approval, and returns its output. */
async function runWithClient(t: Test, program: string, generate: (folder: string) => Promise<unknown>) {
  const folder = makeTestFolder(t)
  symlinkSync(path.join(E2E, 'node_modules'), path.join(folder, 'node_modules'))
  copyFileSync(path.join(E2E, 'generated-clients', program), path.join(folder, program))
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [program] })
  )
  await generate(folder)
  const { stdout: errors } = await execa(process.execPath, [path.resolve('node_modules/typescript/bin/tsc')], {
    cwd: folder,
    reject: false
  })
  t.equal(errors, '', 'it compiles')
  await run('rolldown/bin/cli.mjs', [program, '--file', 'bundle.js', '--platform', 'node'], folder)
  return runWithServer(t, (url, token) =>
    execa(process.execPath, ['bundle.js', url, token], { cwd: folder }).then(({ stdout }) => stdout)
  )
}

/** Runs a program with a server, and returns its output without events that come at any time. */
async function runWithServer(t: Test, program: (url: string, token: string) => Promise<string>) {
  const { url } = await startApp(t, { 'a.txt': 'a\n' })
  const { types, ...others } = JSON.parse(await program(url, TOKEN)) as { types: string[] }
  return { ...others, types: types.filter(type => type !== 'agent.state') }
}

const expected = {
  title: 'a.txt',
  approved_by: 'user',
  types: ['stream.snapshot', 'tool.call', 'tool.decision', 'file.changed', 'tool.result']
}

t.test('openapi-typescript with openapi-fetch', async t => {
  const found = await runWithClient(t, 'openapi-fetch.ts', folder =>
    run('openapi-typescript/bin/cli.js', [OPENAPI, '-o', 'api.ts'], folder)
  )
  t.strictSame(found, expected)
})

t.test('@hey-api/openapi-ts', async t => {
  const found = await runWithClient(t, 'hey-api.ts', folder =>
    run('@hey-api/openapi-ts/bin/run.js', ['-i', OPENAPI, '-o', 'client', '-c', '@hey-api/client-fetch'], folder)
  )
  t.strictSame(found, expected)
})

t.test('the models for Python, with httpx', needs('mypy', 'python3-httpx'), async t => {
  const program = path.join(E2E, 'generated-clients/models.py')
  const env = { PYTHONPATH: path.join(CLIENT, 'src'), MYPYPATH: path.join(CLIENT, 'src') }
  const checked = await python(['-m', 'mypy', '--strict', '--cache-dir', '/dev/null', program], { cwd: E2E, env })
  t.equal(checked, 'Success: no issues found in 1 source file\n', 'it compiles')
  t.strictSame(await runWithServer(t, (url, token) => python([program, url, token], { env })), expected)
})
