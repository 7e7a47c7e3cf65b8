/// The description of an object in the XML of the D-Bus specification.
///
/// The arguments of methods are not in it, since a method takes what it is given.
struct Introspection {
    let interfaces: [ObjectServer.Interface]
    let managesObjects: Bool
    /// Last elements of the paths right below the object.
    let children: [Substring]

    var xml: String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
            "<node>",
            Self.standard,
        ]
        if managesObjects { lines.append(Self.objectManager) }
        for interface in interfaces {
            lines.append(#" <interface name="\#(escaped(interface.name))">"#)
            lines += interface.methods.keys.sorted().map { #"  <method name="\#(escaped($0))"/>"# }
            lines += interface.properties.sorted { $0.key < $1.key }.map { name, value in
                let access = interface.setters[name] == nil ? "read" : "readwrite"
                return #"  <property name="\#(escaped(name))" type="\#(value.signature)" access="\#(access)"/>"#
            }
            lines.append(" </interface>")
        }
        lines += children.map { #" <node name="\#($0)"/>"# }
        lines.append("</node>")
        return lines.joined(separator: "\n")
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }

    private static let standard = #"""
         <interface name="org.freedesktop.DBus.Introspectable">
          <method name="Introspect"><arg name="xml" type="s" direction="out"/></method>
         </interface>
         <interface name="org.freedesktop.DBus.Properties">
          <method name="Get">
           <arg name="interface" type="s" direction="in"/><arg name="name" type="s" direction="in"/><arg name="value" type="v" direction="out"/>
          </method>
          <method name="GetAll"><arg name="interface" type="s" direction="in"/><arg name="properties" type="a{sv}" direction="out"/></method>
          <method name="Set">
           <arg name="interface" type="s" direction="in"/><arg name="name" type="s" direction="in"/><arg name="value" type="v" direction="in"/>
          </method>
          <signal name="PropertiesChanged">
           <arg name="interface" type="s"/><arg name="changed" type="a{sv}"/><arg name="invalidated" type="as"/>
          </signal>
         </interface>
        """#

    private static let objectManager = #"""
         <interface name="org.freedesktop.DBus.ObjectManager">
          <method name="GetManagedObjects"><arg name="objects" type="a{oa{sa{sv}}}" direction="out"/></method>
          <signal name="InterfacesAdded"><arg name="object" type="o"/><arg name="interfaces" type="a{sa{sv}}"/></signal>
          <signal name="InterfacesRemoved"><arg name="object" type="o"/><arg name="interfaces" type="as"/></signal>
         </interface>
        """#
}
