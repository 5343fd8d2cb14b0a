// The key bindings for the legend, grouped by the view in which they apply.
import type { Feature } from '../session/place.ts'

/** A key, its effect, and the part of a place that it is for. */
export type LegendKey = readonly [key: string, does: string, needs?: Feature]

export const KEY_LEGEND: readonly { where: string; keys: readonly LegendKey[] }[] = [
  {
    where: 'Everywhere',
    keys: [
      ['g a', 'approvals'],
      ['g t', 'activity'],
      ['g c', 'changes', 'changes'],
      ['g s', 'servers', 'servers'],
      ['g f', 'search', 'servers'],
      ['g j', 'jobs', 'jobs'],
      ['g u', 'status', 'status'],
      ['g e', 'settings: MCP servers and tokens', 'settings'],
      ['g o', 'tools', 'tools'],
      ['g r', 'rules'],
      ['j k', 'go to the next or previous entry of a list'],
      ['/', 'filter'],
      ['p', 'pause or resume the activity'],
      ['m', 'set the mode of the session: which calls run without approval', 'modes'],
      ['t', 'theme'],
      ['?', 'this page'],
      ['Ctrl+Enter', 'send a dialog or a comment'],
      ['Esc', 'back']
    ]
  },
  {
    where: 'Approvals',
    keys: [
      ['j k', 'open the next or previous call'],
      ['Enter', 'open the call, and move the focus to its card'],
      ['x', 'select or deselect the call'],
      ['X', 'select up to here'],
      ['Y', 'approve the selected calls'],
      ['N', 'reject the selected calls'],
      ['v', 'next part that has not been viewed'],
      ['d', 'unified or split diff']
    ]
  },
  {
    where: 'While a card has the focus',
    keys: [
      ['y', 'approve'],
      ['n', 'reject'],
      ['r', 'reject with a message to the agent'],
      ['i', 'reject and ask for the call that the card suggests'],
      ['a', 'approve always: choose a rule to save', 'always'],
      ['e', 'edit the params', 'edit'],
      ['c', 'comment on a line of the diff'],
      ['s', 'select the calls that one rule would allow', 'always'],
      ['w', 'review the calls together that wait for the same reason'],
      ['Enter', 'after the decision: show the next waiting call']
    ]
  }
]
