// node scripts/package-emacs.ts <folder>: makes <folder>/toolgate-<version>.tar, a package for `package-install-file` of Emacs. The
// metadata come from the header of toolgate.el, as in package archives.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'

const SOURCE = 'clients/emacs'
const MAIN = path.join(SOURCE, 'toolgate.el')

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: node scripts/package-emacs.ts <folder>')
const source = readFileSync(MAIN, 'utf8')
const name = `toolgate-${header('Version')}`
const stage = path.join(folder, name)
rmSync(stage, { recursive: true, force: true })
mkdirSync(stage, { recursive: true })
for (const file of globSync(`${SOURCE}/*.el`)) cpSync(file, path.join(stage, path.basename(file)))
cpSync('LICENSE', path.join(stage, 'LICENSE'))
writeFileSync(path.join(stage, 'toolgate-pkg.el'), describePackage())
const archive = path.join(folder, `${name}.tar`)
execaSync('tar', ['--format=ustar', '-cf', archive, '-C', folder, name])
rmSync(stage, { recursive: true })
console.log(archive)

function describePackage(): string {
  const summary = /^;;; toolgate\.el --- (.*?) {2}/.exec(source)![1]
  const keywords = header('Keywords').split(/,\s*/)
  return `;;; Generated from toolgate.el  -*- no-byte-compile: t; lexical-binding: t -*-
(define-package "toolgate" ${JSON.stringify(header('Version'))} ${JSON.stringify(summary)}
  '${header('Package-Requires')}
  :url ${JSON.stringify(header('URL'))}
  :keywords '(${keywords.map(keyword => JSON.stringify(keyword)).join(' ')}))
`
}

/** Returns a field of the header of toolgate.el. */
function header(field: string): string {
  const value = new RegExp(`^;; ${field}: (.*)$`, 'm').exec(source)?.[1]
  if (value === undefined) throw new Error(`${MAIN} has no header "${field}"`)
  return value
}
