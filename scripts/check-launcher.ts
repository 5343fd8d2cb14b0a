// npx node scripts/check-launcher.ts: compiles the launcher twice for each processor that there is a compiler for, and fails unless the bytes are
// the same, and the same as those in native/build, if it was built.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { builtLauncher, checkLauncher, compileLauncher, PROCESSORS, type Processor } from './launcher.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-launcher-'))
try {
  for (const processor of Object.keys(PROCESSORS) as Processor[]) check(processor)
} finally {
  rmSync(folder, { recursive: true })
}

function check(processor: Processor) {
  const [once, twice] = ['once', 'twice'].map(name => path.join(folder, name, processor)) as [string, string]
  for (const file of [once, twice]) {
    compileLauncher(processor, file)
    checkLauncher(file, processor)
  }
  const bytes = readFileSync(once)
  if (!bytes.equals(readFileSync(twice))) throw new Error(`Two builds for ${processor} differ.`)
  const built = builtLauncher(processor)
  if (existsSync(built)) {
    checkLauncher(built, processor)
    if (!bytes.equals(readFileSync(built)))
      throw new Error(`${built} was built with another compiler or C library: a build here gives other bytes.`)
  }
  console.log(
    `linux-${processor}: ${bytes.length} bytes, the same twice${existsSync(built) ? ' and in native/build' : ''}`
  )
}
