// Parses JUnit XML, as written by pytest, Maven's surefire and many others. Entities defined in a document are never expanded.
import { XMLParser } from 'fast-xml-parser'
import { addFailure, emptyReport, type TestReport } from './report.ts'

const CDATA = '#cdata'
const TEXT = '#text'
const LISTS = new Set(['testsuites', 'testsuite', 'testcase', 'failure', 'error', 'skipped', CDATA])

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  cdataPropName: CDATA,
  textNodeName: TEXT,
  alwaysCreateTextNode: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  isArray: name => LISTS.has(name)
})

/** Returns the first report in the text, whatever surrounds it. */
export function junitReport(text: string): TestReport | undefined {
  const start = /<testsuites?[\s>]/.exec(text)
  if (!start) return undefined
  const end = text.indexOf(start[0].startsWith('<testsuites') ? '</testsuites>' : '</testsuite>', start.index)
  const suites = text.slice(start.index, end < 0 ? undefined : text.indexOf('>', end) + 1)
  try {
    const report = emptyReport()
    collectSuites(parser.parse(suites), report)
    return report
  } catch {
    return undefined
  }
}

function collectSuites(node: unknown, report: TestReport) {
  for (const name of ['testsuites', 'testsuite']) for (const suite of children(node, name)) collectSuites(suite, report)
  for (const test of children(node, 'testcase')) count(test, report)
}

function count(test: unknown, report: TestReport) {
  const [failed] = [...children(test, 'failure'), ...children(test, 'error')]
  if (failed === undefined) {
    if (children(test, 'skipped').length > 0) report.skipped++
    else report.passed++
    return
  }
  const body = elementText(failed)
  const owner = attribute(test, 'classname')
  const name = attribute(test, 'name') ?? 'unnamed'
  addFailure(report, {
    name: owner ? `${owner}.${name}` : name,
    ...(locationFromTrace(body, owner) ?? reportedLocation(test)),
    message: attribute(failed, 'message') || body
  })
}

/** Returns the location of a failure: pytest ends with `file:line: Error`, Java's stack traces name the file of each call. */
function locationFromTrace(body: string, owner: string | undefined): { file: string; line: number } | undefined {
  const python = [...body.matchAll(/^(\S[^:\n]*\.py):(\d+): /gm)].at(-1)
  if (python) return { file: python[1]!, line: Number(python[2]) }
  for (const [, call, file, line] of body.matchAll(
    /^[ \t]*at ([\w.$/]{1,500})\(([\w$]+\.(?:java|kt|groovy|scala)):(\d+)\)/gm
  )) {
    if (owner && !call!.startsWith(owner)) continue
    const folder = owner?.includes('.') ? `${owner.slice(0, owner.lastIndexOf('.')).replaceAll('.', '/')}/` : ''
    return { file: folder + file, line: Number(line) }
  }
  return undefined
}

/** Lines in the report's attributes are counted from 0. */
function reportedLocation(test: unknown) {
  const [file, line] = [attribute(test, 'file'), attribute(test, 'line')]
  return { file, line: line !== undefined && /^\d{1,9}$/.test(line) ? Number(line) + 1 : undefined }
}

const isNode = (node: unknown): node is Record<string, unknown> => typeof node === 'object' && node !== null

function children(node: unknown, name: string): unknown[] {
  const found = isNode(node) && Object.hasOwn(node, name) ? node[name] : []
  return Array.isArray(found) ? found : [found]
}

function attribute(node: unknown, name: string): string | undefined {
  const value = isNode(node) ? node[`@${name}`] : undefined
  return typeof value === 'string' ? decodeEntities(value) : undefined
}

function elementText(node: unknown): string {
  if (typeof node === 'string') return decodeEntities(node)
  const own = children(node, TEXT).filter(text => typeof text === 'string')
  const raw = children(node, CDATA).map(part => (isNode(part) ? part[TEXT] : part))
  return [...own.map(decodeEntities), ...raw.filter(part => typeof part === 'string')].join('').trim()
}

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name]!
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
