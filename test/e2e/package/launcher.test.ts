// Tests of the package with the launcher: installed beside the main one, it confines commands that only read where there is no
// bubblewrap.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { needs } from '../../support/needs.ts'
import { makeProject, NOT_INSTALLED, pack, packLauncher, serve } from './packed.ts'

/** Starts a program where bubblewrap is hidden. */
const WITHOUT_BUBBLEWRAP = [
  'unshare',
  '--mount',
  ...[
    'sh',
    '-c',
    'for file in /bin/bwrap /usr/*bin/bwrap; do [ ! -e $file ] || mount --bind /dev/null $file; done; exec "$@"'
  ],
  'sh'
]

async function readLevel(t: Test, folder: string) {
  const { url, token } = await serve(t, folder, WITHOUT_BUBBLEWRAP)
  const response = await fetch(`${url}/capabilities`, { headers: { authorization: `Bearer ${token}` } })
  const { isolation } = (await response.json()) as { isolation: { levels: { level: string }[] } }
  return isolation.levels.find(({ level }) => level === 'read-only')
}

t.test('the launcher in its package', needs('landlock', 'mount'), async t => {
  const [main, launcher] = [await pack(), await packLauncher()]
  t.strictSame(launcher.files.sort(), ['LICENSE', 'README.md', 'package.json', 'toolgate-confine'])

  t.test('provides the level that only reads', async t => {
    const folder = await makeProject('with-launcher', [main.tarball, launcher.tarball], ['--offline'])
    if (folder === undefined) return t.pass('installed', { skip: NOT_INSTALLED })
    t.match(await readLevel(t, folder), { holds: true, backend: 'landlock' })
  })

  t.test('is missing where its package is, and no other program takes its place', async t => {
    const folder = await makeProject('without-launcher', [main.tarball], ['--offline'])
    if (folder === undefined) return t.pass('installed', { skip: NOT_INSTALLED })
    for (const place of ['', 'node_modules']) plant(path.join(folder, place, `native/build/linux-${process.arch}`))
    t.match(await readLevel(t, folder), {
      holds: false,
      reason: `the package @toolgate/confine-linux-${process.arch} is missing. Install toolgate with its optional packages`
    })
  })
})

function plant(folder: string) {
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'toolgate-confine')
  writeFileSync(file, '#!/bin/sh\necho "{}"\n')
  chmodSync(file, 0o755)
}
