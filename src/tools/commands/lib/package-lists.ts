// Reads a project's packages from its lock file or manifest. Never throws: unreadable files list nothing.
import { isObject } from '../../../text/json-object.ts'

export type Packages = Map<string, string>

/** A file that lists packages. */
export interface PackageList {
  file: string
  read(text: string): Iterable<readonly [name: string, version: string]>
}

const matchVersions = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name, version]) => [name!, version!] as const)

export const NPM_LOCK: PackageList = {
  file: 'package-lock.json',
  read(text) {
    const { packages } = parseObject(text)
    if (!isObject(packages)) return []
    return Object.entries(packages).flatMap(([path, entry]) => {
      const at = path.lastIndexOf('node_modules/')
      const version = isObject(entry) ? entry.version : undefined
      return at < 0 || typeof version !== 'string' ? [] : [[path.slice(at + 'node_modules/'.length), version] as const]
    })
  }
}

export const PACKAGE_JSON: PackageList = {
  file: 'package.json',
  read(text) {
    const { dependencies, devDependencies } = parseObject(text)
    return [dependencies, devDependencies]
      .filter(isObject)
      .flatMap(Object.entries)
      .flatMap(([name, version]) => (typeof version === 'string' ? [[name, version] as const] : []))
  }
}

export const PNPM_LOCK: PackageList = {
  file: 'pnpm-lock.yaml',
  read: text => matchVersions(text, /^ {2}'?((?:@[^/'\n]+\/)?[^@'\n/]+)@([^:'(\n]+)'?:/gm)
}

export const YARN_LOCK: PackageList = {
  file: 'yarn.lock',
  read: text => matchVersions(text, /^"?((?:@[^/\n]+\/)?[^@"\n]+)@[^\n]*:\n {2}version:? "?([^"\n]+)"?$/gm)
}

export const CARGO_TOML: PackageList = {
  file: 'Cargo.toml',
  read: text => matchVersions(text, /^([\w-]+) = (?:\{[^}\n]*\bversion = )?"([^"\n]+)"/gm)
}

export const GO_MOD: PackageList = {
  file: 'go.mod',
  read: text => matchVersions(text, /^(?:require )?\t?([\w.~/-]+\.[\w.~/-]+) (v[\w.+-]+)/gm)
}

/** Returns the packages that are new, or have another version. */
export const newPackages = (now: Packages, before: Packages) =>
  [...now].filter(([name, version]) => before.get(name) !== version).map(([name, version]) => ({ name, version }))

/** Returns the named packages whose version is unchanged. */
export const unchangedPackages = (now: Packages, before: Packages, names: readonly string[]) =>
  [...new Set(names)].flatMap(name => {
    const version = now.get(name)
    return version !== undefined && before.get(name) === version ? [{ name, version }] : []
  })

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
