// Tests of the cases in corpus/args.json for tools that change a repository, search, or query a language server: no param becomes
// an option, leaves the workspace, or names a program. Those for reading repositories are in tools/git/attacks.test.ts.
// tier: full
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Json } from './start-app.ts'
import { startGitWriteFixture } from './tools/git/write-fixture.ts'

const CORPUS: { cases: Json[] } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'corpus/args.json'), 'utf8'))

type World = Awaited<ReturnType<typeof world>>

/** Creates a repository with uncommitted changes, a file outside of it, and a path that must never be created. */
async function world(t: Test) {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n', 'src/x.ts': 'export const x = 1\n' })
  app.write('a.txt', 'two\n')
  app.write('binary.bin', Buffer.from([120, 0, 120, 0]))
  app.write('x.sh', `#!/bin/sh\ntouch ${app.folder}/PWNED\n`)
  mkdirSync(path.join(app.folder, 'out'))
  writeFileSync(path.join(app.folder, 'out/secret.txt'), 'x marks SECRET-CANARY\n')
  symlinkSync(path.join(app.folder, 'out'), app.path('src/l'))
  const filled = (value: string) => value.replaceAll('{{T}}', app.folder)
  const refs = () => app.git('for-each-ref', '--format=%(refname) %(objectname)')
  /** Returns the call, or its rejection. */
  const asked = async (tool: string, params: object): Promise<Json> => app.run(tool, params)
  return { ...app, filled, refs, asked }
}

const codeOf = ({ code, error }: Json) => error?.code ?? code

/** Tool of the corpus → the equivalent call and its checks. */
const TRIALS: Record<string, (t: Test, app: World, args: Json) => Promise<void>> = {
  async 'git.clone'(t, app, { url }) {
    app.git('config', 'remote.origin.url', app.filled(url))
    t.equal(codeOf(await app.asked('git_push', { branch: 'main', remote: 'origin' })), 'URL_BLOCKED')
  },
  async 'git.checkout'(t, app, { branch }) {
    for (const params of [{ switch: true }, { create: true }, { create: true, switch: true }])
      t.equal(codeOf(await app.asked('git_branch', { name: branch, ...params })), 'INVALID_PARAMS')
  },
  async 'git.branch'(t, app, { name }) {
    t.equal(codeOf(await app.asked('git_branch', { name, create: true })), 'INVALID_PARAMS')
  },
  async 'git.commit'(t, app, { message }) {
    const before = app.head()
    const { status, error } = await app.asked('git_commit', { message, files: ['a.txt'] })
    t.equal(status, 'success', error?.message)
    t.equal(app.git('log', '-1', '--format=%P %B').trimEnd(), `${before} ${message}`)
  },
  async search(t, app, { pattern, path: where, follow, engine }) {
    const place = where && app.exists(where) ? where : undefined
    for (const params of [
      { pattern, path: where },
      { pattern, ...(place && { path: place }) }
    ]) {
      const answer = await app.asked('grep', params)
      t.notMatch(JSON.stringify(answer), /SECRET-CANARY|\\u0000/, 'nothing outside, and nothing that is no text')
      if (pattern === '[' || engine) t.equal(codeOf(answer), 'INVALID_PARAMS', 'it is no pattern here')
    }
    if (follow) t.equal(codeOf(await app.asked('grep', { pattern, follow })), 'INVALID_PARAMS')
    const { result, error } = await app.asked('search_code', { query: pattern, ...(where && { path: where }) })
    t.notMatch(JSON.stringify(result ?? error), /SECRET-CANARY|\\u0000/)
  },
  async 'lsp.hover'(t, app, { uri }) {
    // An address is no path.
    t.match(codeOf(await app.asked('hover', { path: uri, line: 1, col: 1 })), /^(?:FILE_NOT_FOUND|INVALID_PATH)$/)
    t.equal(codeOf(await app.asked('hover', { uri, line: 1, col: 1 })), 'INVALID_PARAMS')
  },
  async 'lsp.rename'(t, app, { new_name }) {
    const at = { path: 'src/x.ts', line: 1, symbol: 'x' }
    t.equal(codeOf(await app.asked('rename_symbol', { ...at, new_name })), 'INVALID_PARAMS')
  },
  async 'lsp.request'(t, app, { method, params }) {
    t.equal(codeOf(await app.asked('hover', { path: 'src/x.ts', line: 1, col: 1, method, params })), 'INVALID_PARAMS')
  }
}

/** Params without an equivalent: a folder to clone to, and settings for it. */
const NOT_TAKEN = ({ args }: Json) => args.dir !== undefined || args.options !== undefined

for (const [tool, trial] of Object.entries(TRIALS))
  t.test(tool, async t => {
    const cases = CORPUS.cases.filter(each => each.tool === tool && !NOT_TAKEN(each))
    t.not(cases.length, 0, 'there are such cases')
    for (const { id, why, args } of cases)
      await t.test(`${id}: ${why}`, async t => {
        const app = await world(t)
        const before = app.refs()
        await trial(t, app, args)
        if (tool !== 'git.commit') t.equal(app.refs(), before, 'no branch has moved')
        t.notOk(existsSync(path.join(app.folder, 'PWNED')), 'nothing was run or written')
        t.notOk(app.exists('PWNED'))
      })
  })
