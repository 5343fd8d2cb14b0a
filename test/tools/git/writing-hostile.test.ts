// Tests of git_commit with any message, any name, and in repositories that name programs to run.
// tier: full
import { existsSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../support/property.ts'
import { startGitWriteFixture, writeHook } from './write-fixture.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/

t.test('stores any message and any name unchanged', async t => {
  const app = await startGitWriteFixture(t, {})
  let count = 0
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  const name = fc
    .oneof(
      word,
      fc.constantFrom('-x', ':x', '*', '[a]', 'a b', '"q"', 'a\\b', '--amend', 'é', '😀', "it's", '#x', '~', '$(x)')
    )
    .filter(
      text =>
        text.isWellFormed() &&
        !/[\p{C}/]/u.test(text) &&
        text.trim() !== '' &&
        !/^\.{1,2}$|^\.git|^\.env|^~/i.test(text)
    )
  const message = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('--amend', '# not a comment', 'é\n\n\n x \n', '-m x')
  )
  await fc.assert(
    fc.asyncProperty(name, message, async (file, text) => {
      const { stdout: wanted } = execaSync('git', ['stripspace'], { input: text, stripFinalNewline: false })
      count += 1
      app.write(`d${count}/${file}`, `${count}\n`)
      const done = await app.run('git_commit', { message: text, files: [`d${count}/${file}`] })
      if (done.status !== 'success') {
        const isFault = done.error.code === 'INVALID_PARAMS' || /SENSITIVE/.test(done.error.code)
        return (
          isFault &&
          (wanted === '' || CONTROL.test(text) || !text.isWellFormed() || done.error.code !== 'INVALID_PARAMS')
        )
      }
      const stored = app.git('cat-file', 'commit', 'HEAD').split('\n\n').slice(1).join('\n\n')
      const names = app.git('show', '--format=', '--name-only', '-z').split('\0')
      return (
        `${stored}\n` === wanted && names[0] === `d${count}/${file}` && app.git('status', '--porcelain', '-uno') === ''
      )
    }),
    runs(12)
  )
})

t.test('runs no program that a repository names', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n', '.gitattributes': '* diff=evil merge=evil\n' })
  const canary = path.join(app.folder, 'PWNED')
  const program = app.path('evil')
  writeHook(program, `touch ${canary}; cat`)
  for (const name of [
    ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout', 'post-rewrite'],
    ...['reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-auto-gc']
  ])
    writeHook(app.path(`.git/hooks/${name}`), `touch ${canary}`)
  for (const [key, value] of Object.entries({
    'core.fsmonitor': program,
    'core.hooksPath': app.path('.git/hooks'),
    'core.editor': program,
    'core.pager': program,
    'commit.gpgSign': 'true',
    'gpg.program': program,
    'user.signingKey': 'x',
    'diff.external': program,
    'diff.evil.command': program,
    'diff.evil.textconv': program,
    'merge.evil.driver': program,
    'filter.evil.clean': program,
    'filter.evil.smudge': program,
    'filter.evil.process': program,
    'filter.evil.required': 'true',
    'trace2.eventTarget': canary,
    'commit.template': app.path('evil'),
    'gc.auto': '1'
  }))
    app.git('config', key, value)
  app.write('a.txt', 'two\n')
  t.match(await app.commit('Second', ['a.txt']), { status: 'success' })
  t.match(await app.run('git_branch', { name: 'side', create: true, start: 'HEAD~1', switch: true }), {
    status: 'success'
  })
  t.equal(app.read('a.txt'), 'one\n')
  app.write('.gitattributes', '*.txt filter=evil\n')
  app.write('a.txt', 'three\n')
  t.match((await app.commit('x', ['a.txt'])).error, { code: 'CONFLICT', details: { filter: 'evil' } })
  t.match((await app.run('git_branch', { name: 'main', switch: true })).error, { code: 'CONFLICT' })
  t.notOk(existsSync(canary))
})
