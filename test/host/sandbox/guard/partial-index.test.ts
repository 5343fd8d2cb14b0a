// Tests that git reads a rewritten index, in each version of the format, and takes what is outside of the folder for left out.
// tier: quick
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { toPartialIndex } from '../../../../src/host/sandbox/guard/partial-index.ts'
import { makeTestFolder } from '../../../support/test-folder.ts'

const FILES = [
  'a',
  'ab/c.txt',
  'ab/long-name-of-a-file.txt',
  'part',
  'part.txt',
  'part/a',
  'part/b/c',
  'part2/é\n',
  'z'.repeat(200)
].filter(name => name !== 'part')

for (const hash of ['sha1', 'sha256'] as const)
  t.test(`an index of ${hash}`, async t => {
    const folder = makeTestFolder(t)
    const git = (args: readonly string[], env: Record<string, string> = {}) =>
      execaSync('git', args, { cwd: folder, env }).stdout
    git(['init', '-q', `--object-format=${hash}`])
    for (const name of FILES) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), name)
    }
    git(['add', '--intent-to-add', 'a'])
    git(['add', 'part', 'ab', 'part2', 'part.txt', 'z'.repeat(200)])
    git(['update-index', '--assume-unchanged', 'part/a'])
    for (const version of ['2', '3', '4']) {
      git(['update-index', '--index-version', version])
      const index = readFileSync(path.join(folder, '.git/index'))
      const partial = toPartialIndex(index, 'part', hash)!
      writeFileSync(path.join(folder, 'partial'), partial)
      const env = { GIT_INDEX_FILE: path.join(folder, 'partial') }
      t.strictSame(
        git(['ls-files', '-z', '-v', '--stage'], env).split('\0').sort(),
        git(['ls-files', '-z', '-v', '--stage'])
          .split('\0')
          .map(line => (/\tpart\//.test(line) || line === '' ? line : line.replace(/^./, 'S')))
          .sort(),
        `version ${version}`
      )
      git(['fsck', '--no-dangling'], env)
      t.equal(toPartialIndex(index, 'absent', hash), undefined)
      for (const length of [0, 4, 12, 100, Math.floor(index.length / 2)])
        t.doesNotThrow(() => toPartialIndex(index.subarray(0, length), 'part', hash), `${length} bytes`)
    }
    git(['update-index', '--split-index'])
    t.equal(toPartialIndex(readFileSync(path.join(folder, '.git/index')), 'part', hash), undefined, 'a split index')
  })
