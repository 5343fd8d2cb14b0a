// Builds the extension for VS Code.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'

const SOURCE = path.resolve(import.meta.dirname, '../../clients/vscode')
/** Files of the extension besides its bundle and its manifest. */
const FILES = ['CHANGELOG.md', 'LICENSE', 'README.md', 'media', 'syntaxes', 'walkthrough']

/** Bundles the extension with the client library into one file of the folder. Returns its path. */
export async function bundleExtension(folder: string): Promise<string> {
  const outfile = path.join(folder, 'extension.cjs')
  await build({
    entryPoints: [path.join(SOURCE, 'src/extension.ts')],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    // The Node of the oldest VS Code that the extension supports.
    target: 'node20.18',
    external: ['vscode'],
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 100,
    legalComments: 'none',
    logLevel: 'warning'
  })
  return outfile
}

/** Packs the extension into a folder. Returns the path of the VSIX. The packages of clients/vscode must be installed. */
export async function packExtension(folder: string): Promise<string> {
  const {
    devDependencies: _,
    private: __,
    ...manifest
  } = JSON.parse(readFileSync(path.join(SOURCE, 'package.json'), 'utf8')) as {
    devDependencies: object
    private: boolean
    version: string
  }
  const stage = path.resolve(folder, 'vscode-extension')
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { recursive: true })
  for (const file of FILES) cpSync(path.join(SOURCE, file), path.join(stage, file), { recursive: true })
  writeFileSync(path.join(stage, 'package.json'), JSON.stringify(manifest, null, 2))
  await bundleExtension(path.join(stage, 'dist'))
  const vsix = path.resolve(folder, `toolgate-${manifest.version}.vsix`)
  const vsce = path.join(SOURCE, 'node_modules/@vscode/vsce/vsce')
  await execa(process.execPath, [vsce, 'package', '--no-dependencies', '--out', vsix], { cwd: stage })
  rmSync(stage, { recursive: true })
  return vsix
}
