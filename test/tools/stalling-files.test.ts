// Tests that neither a search nor git waits for a pipe at the name of a file that it reads unasked: each call ends, and names it.
// tier: full
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import type { Json } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { startGitReadFixture } from './git/read-fixture.ts'

/** Names that ripgrep, Git or the server's own tools read. */
// biome-ignore format: a table
const NAMES = [
  ...['.gitignore', 'src/.gitignore', 'src/.ignore', '.rgignore', '.gitattributes', 'src/.gitattributes', '.mailmap', '.gitmodules'],
  ...['.git/info/exclude', '.git/info/attributes', '.git/config', '.git/HEAD', '.git/index', '.git/packed-refs', '.git/MERGE_MSG'],
  ...['.git/refs/heads/x', '.editorconfig', 'package.json', 'tsconfig.json', 'Makefile', 'sub.git/config', '.toolgate/config.jsonc', '.env']
]

const CALLS: readonly [tool: string, params: object][] = [
  ['glob', { pattern: '**/*.ts' }],
  ['grep', { pattern: 'one' }],
  ['grep', { pattern: 'one', path: 'src' }],
  ['search_files', { pattern: 'a', path: '.' }],
  ['search_code', { query: 'one', path: '.' }],
  ['list_directory', { path: '.' }],
  ['read_file', { path: 'src/a.ts' }],
  ['git_status', {}],
  ['git_log', {}],
  ['git_show', { rev: 'HEAD' }],
  ['git_diff', {}],
  ['git_blame', { path: 'src/a.ts' }]
]

/** Errors that explain what is wrong with a file, or with the repository that it belongs to. */
const EXPLAINED = new Set(['NOT_A_FILE', 'NOT_A_REPOSITORY', 'EXECUTION_ERROR', 'FILE_NOT_FOUND', 'CONFLICT'])

async function start(t: Parameters<typeof startGitReadFixture>[0]) {
  const app = await startGitReadFixture(t, { 'src/a.ts': 'export const one = 1\n', 'b.ts': 'export const two = 2\n' })
  app.init()
  app.write('b.ts', 'export const two = 3\n')
  return app
}

for (const name of NAMES)
  t.test(`no call waits for a pipe named ${name}`, needs('linux'), async t => {
    const app = await start(t)
    mkdirSync(path.dirname(app.at(name)), { recursive: true })
    rmSync(app.at(name), { force: true })
    execaSync('mkfifo', [app.at(name)])
    for (const [tool, params] of CALLS) {
      const { status, error }: Json = await app.call(tool, params)
      const isExplained = status === 'success' || EXPLAINED.has(error?.code)
      t.ok(isExplained, `${tool} ${JSON.stringify(params)}: ${status} ${JSON.stringify(error)}`)
    }
  })

t.test('the error names the file, and once it is gone the same calls succeed', needs('linux'), async t => {
  const app = await start(t)
  execaSync('mkfifo', [app.at('src/.gitignore')])
  const error = (program: string) => ({
    code: 'NOT_A_FILE',
    message: `"src/.gitignore" is a pipe or a device, on which ${program} would hang, so it was stopped. Remove the file, and retry.`,
    details: { path: 'src/.gitignore' }
  })
  t.match(await app.call('glob', { pattern: '**/*.ts' }), { status: 'error', error: error('the search') })
  t.match(await app.call('grep', { pattern: 'one' }), { status: 'error', error: error('the search') })
  t.match(await app.call('git_status', {}), { status: 'error', error: error('git') })
  // Git reads no such file in a folder that it does not look into.
  t.match(await app.call('git_log', {}), { status: 'success' })
  t.match(await app.call('grep', { pattern: 'one', no_ignore: true }), { status: 'success' })
  rmSync(app.at('src/.gitignore'))
  for (const [tool, params] of CALLS) t.match(await app.call(tool, params), { status: 'success' }, tool)
})

t.test('a link to a pipe is none the less one', needs('linux'), async t => {
  const app = await start(t)
  execaSync('mkfifo', [app.at('pipe')])
  symlinkSync('../pipe', app.at('src/.ignore'))
  for (const [tool, params] of CALLS) {
    const { status, error }: Json = await app.call(tool, params)
    t.ok(status === 'success' || error?.code === 'NOT_A_FILE', `${tool}: ${JSON.stringify(error)}`)
  }
})

t.test('a link to /dev/null stands for an empty file', needs('linux'), async t => {
  const app = await start(t)
  symlinkSync('/dev/null', app.at('.ignore'))
  execaSync('mkfifo', [app.at('src/.gitignore')])
  t.match(await app.call('glob', { pattern: '**/*.ts' }), { error: { details: { path: 'src/.gitignore' } } })
})
