// The key bindings for the legend, grouped by the view in which they apply.
export const KEY_LEGEND: readonly { where: string; keys: readonly (readonly [key: string, does: string])[] }[] = [
  {
    where: 'Everywhere',
    keys: [
      ['g a', 'approvals'],
      ['g t', 'activity'],
      ['g j', 'jobs'],
      ['g m', 'metrics'],
      ['g o', 'tools'],
      ['g r', 'rules'],
      ['j k', 'next, previous in a list'],
      ['/', 'filter'],
      ['p', 'pause or resume the activity'],
      ['m', 'mode of the session: which of its calls run without asking'],
      ['t', 'theme'],
      ['?', 'this page'],
      ['Esc', 'back']
    ]
  },
  {
    where: 'Approvals',
    keys: [
      ['Enter', 'open: its card gets the focus'],
      ['x', 'select the call, or not'],
      ['X', 'select up to here'],
      ['Y', 'approve the selected calls'],
      ['N', 'reject the selected calls'],
      ['v', 'next part that was not viewed'],
      ['d', 'unified or split diff']
    ]
  },
  {
    where: 'While a card has the focus',
    keys: [
      ['y', 'approve'],
      ['n', 'reject; after the decision: the next waiting call'],
      ['r', 'reject with a reason'],
      ['a', 'always: choose a rule'],
      ['e', 'edit the params'],
      ['s', 'select the calls that one rule would cover with this one'],
      ['Ctrl+Enter', 'submit a dialog']
    ]
  }
]
