// `import flic2lib` brings Foundation along, and programs rely on it: they use UUID, Data and DispatchQueue with no other import (contract A1).
@_exported public import Dispatch
@_exported public import Foundation
