// Returns the cells of a data table; many tables serve only for layout.
import type { HtmlElement } from './html-tree.ts'

const PARTS = new Set(['thead', 'tbody', 'tfoot'])

/** Returns undefined for a layout table. */
export function tableRows(
  table: HtmlElement,
  isAround: (element: HtmlElement) => boolean
): HtmlElement[][] | undefined {
  const cellsOf = (row: HtmlElement) => elements(row).filter(({ tag }) => tag === 'td' || tag === 'th')
  const elements = ({ children }: HtmlElement) =>
    children.filter((child): child is HtmlElement => typeof child !== 'string' && !isAround(child))
  const rows = elements(table)
    .flatMap(part => (PARTS.has(part.tag) ? elements(part) : [part]))
    .filter(({ tag }) => tag === 'tr')
    .map(cellsOf)
    .filter(cells => cells.length > 0)
  const isData =
    rows.some(cells => cells.some(({ tag }) => tag === 'th')) ||
    (rows.length > 1 && rows.some(cells => cells.length > 1))
  return isData ? rows : undefined
}
