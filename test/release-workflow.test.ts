// tier: quick
// Tests of the release workflow, as far as this machine can: its jobs and commands exist, and all versions are equal.
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'

interface Job {
  needs?: string | string[]
  permissions: Record<string, string>
  steps: { run?: string; uses?: string; with?: Record<string, unknown> }[]
}

const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as { jobs: Record<string, Job> }
const { scripts, version } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
  version: string
}

t.test('jobs need existing jobs, and run existing commands', async t => {
  for (const [name, { needs = [], permissions, steps }] of Object.entries(jobs)) {
    for (const needed of [needs].flat()) t.ok(needed in jobs, `${name} needs ${needed}`)
    t.ok(permissions, `${name} names its permissions`)
    for (const { run = '' } of steps) {
      for (const [, script] of run.matchAll(/npm run ([\w:]+)/g)) t.ok(script! in scripts, `npm run ${script}`)
      if (run.startsWith('.ci/')) t.ok(existsSync(run), run)
    }
  }
})

t.test('nothing is published before the tests pass', async t => {
  const waitsForTests = (name: string): boolean =>
    name === 'test' || [jobs[name]!.needs ?? []].flat().some(needed => waitsForTests(needed))
  for (const name of Object.keys(jobs)) t.ok(waitsForTests(name), name)
})

t.test('the other packages have the version of the server', async t => {
  t.match(readFileSync('clients/python/src/toolgate/_version.py', 'utf8'), `__version__ = "${version}"`)
  const extension = JSON.parse(readFileSync('clients/vscode/package.json', 'utf8'))
  t.equal(extension.version, version)
  t.match(readFileSync('clients/vscode/CHANGELOG.md', 'utf8'), `## ${version}\n`)
  t.match(readFileSync('clients/emacs/toolgate.el', 'utf8'), `\n;; Version: ${version}\n`)
})

t.test('the extension for VS Code is built, published and attached to the release', async t => {
  t.match(readFileSync('scripts/release.ts', 'utf8'), /package-vscode\.ts/)
  const commands = (name: string) => jobs[name]!.steps.map(({ run = '' }) => run)
  t.ok(commands('vscode').some(run => /\bvsce publish .*\.vsix/.test(run)))
  t.ok(commands('vscode').some(run => /\bovsx@\S+ publish .*\.vsix/.test(run)))
  t.ok(commands('github').some(run => run.includes('release/*.vsix')))
})

t.test('the package for Emacs is built and attached to the release', async t => {
  t.match(readFileSync('scripts/release.ts', 'utf8'), /package-emacs\.ts/)
  t.ok(jobs.github!.steps.some(({ run = '' }) => run.includes('release/*.tar')))
})

t.test('the plugin for Neovim is built, and pushed to its repository', async t => {
  t.match(readFileSync('scripts/release.ts', 'utf8'), /package-nvim\.ts/)
  const commands = jobs.neovim!.steps.map(({ run = '' }) => run)
  t.ok(commands.some(run => /release\/toolgate\.nvim\/\..*git push --atomic/s.test(run)))
  const { steps } = jobs.npm!
  t.ok(
    steps.some(step => step.with?.['include-hidden-files']),
    'with its .gitignore'
  )
})
