// Builds dist/ anew from src/: what the installed package runs. The code is bundled, TypeBox with it, because a start
// that reads some 800 small files takes twice as long as one that reads a few; other packages stay packages.
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
const BUNDLED = ['typebox']

// Made beside the old one, so that nobody finds half of it.
const fresh = `dist-${process.pid}`
await build({
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    { in: 'src/tool.ts', out: 'tool' },
    { in: 'src/client/client.ts', out: 'client/client' },
    // Started by its path, from whichever chunk holds the store.
    { in: 'src/host/store-worker.ts', out: 'lib/store-worker' }
  ],
  chunkNames: 'lib/[name]-[hash]',
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: Object.keys(dependencies)
    .filter(name => !BUNDLED.includes(name))
    .flatMap(name => [name, `${name}/*`])
})
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', fresh]
execFileSync(process.execPath, tsc, { stdio: 'inherit' })
rmSync('dist', { recursive: true, force: true })
renameSync(fresh, 'dist')
